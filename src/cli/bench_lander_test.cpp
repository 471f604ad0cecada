// `oscbo bench lander`, through the program.
#include <chrono>
#include <csignal>
#include <thread>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "test_process.hpp"

namespace oscbo::cli {
namespace {

constexpr const char* kHandWritten = "0.5,1,0.4,0.55,0.5,1,0.5,0.5,0,0.5,0.05,0.05";

TEST(BenchLander, HasARowPerTerrainAndDrawsThem) {
  const TemporaryFolder workspace;
  const std::string picture = workspace / "lander.svg";
  const Outcome outcome = oscbo({"bench", "lander", "--weights", kHandWritten, "--terrains", "3",
                                 "--svg", picture, "--format", "json"});
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  const nlohmann::json rows = nlohmann::json::parse(outcome.out);
  ASSERT_EQ(rows.size(), 3U);
  for (std::size_t k = 0; k < rows.size(); ++k) {
    EXPECT_EQ(rows[k]["terrain"], k);
    EXPECT_GT(rows[k]["steps"].get<int>(), 50);
    EXPECT_TRUE(rows[k]["return"].is_number());
    EXPECT_TRUE(rows[k]["outcome"].is_string());
  }
  EXPECT_TRUE(file_text(picture).starts_with("<svg"));
}

TEST(BenchLander, PrintsTheValueOfTheTask) {
  const Outcome flights =
      oscbo({"bench", "lander", "--weights", kHandWritten, "--terrains", "10", "--format", "json"});
  ASSERT_EQ(flights.status, 0) << flights.err;
  double sum = 0.0;
  for (const nlohmann::json& row : nlohmann::json::parse(flights.out)) {
    sum += row["return"].get<double>();
  }
  const Outcome value = oscbo({"bench", "eval", "lunar12-quick", "--points", "-"},
                              std::string("a,b,c,d,e,f,g,h,i,j,k,l\n") + kHandWritten + "\n");
  ASSERT_EQ(value.status, 0) << value.err;
  EXPECT_DOUBLE_EQ(std::stod(value.out), sum / 10.0);
}

TEST(BenchLander, SearchPrintsWeightsThatCanBeReused) {
  const auto search = [](const char* from) {
    return oscbo({"bench", "lander", "--search", "4", "--task", "lunar12-quick", "--from", from,
                  "--format", "json"});
  };
  const Outcome first = search(kHandWritten);
  ASSERT_EQ(first.status, 0) << first.err;
  const nlohmann::json found = nlohmann::json::parse(first.out).at(0);
  const Outcome second = search(found["weights"].get<std::string>().c_str());
  ASSERT_EQ(second.status, 0) << second.err;
  EXPECT_EQ(nlohmann::json::parse(second.out).at(0)["start_value"], found["value"]);
}

TEST(BenchLander, StoppedSearchPrintsWhatItFound) {
  const Process process(oscbo_command(
      {"bench", "lander", "--search", "1000000", "--task", "lunar12-quick", "--format", "json"}));
  std::this_thread::sleep_for(std::chrono::seconds(1));  // tens of evaluations
  process.signal(SIGINT);
  const Outcome outcome = process.wait();
  EXPECT_EQ(outcome.status, 130);
  EXPECT_NE(outcome.err.find(" of 1000000 evaluations; the results so far are printed"),
            std::string::npos)
      << outcome.err;
  const nlohmann::json rows = nlohmann::json::parse(outcome.out);
  ASSERT_GE(rows.size(), 1U);
  EXPECT_GE(rows[0]["evaluations"].get<int>(), 1);
  EXPECT_GE(rows[0]["value"].get<double>(), rows[0]["start_value"].get<double>());
}

TEST(BenchLander, NamesTheOptionThatWasTyped) {
  const auto message = [](const Arguments& more) {
    Arguments arguments = {"bench", "lander"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return oscbo(arguments).err;
  };
  EXPECT_EQ(message({"--weights", "1,2"}),
            "oscbo: --weights: the lander's controller takes 12 weights, not 2\n");
  EXPECT_EQ(message({"--search", "1", "--from", "1,2"}),
            "oscbo: --from: the lander's controller takes 12 weights, not 2\n");
  EXPECT_EQ(message({"--search", "1", "--from", "1,1,1,1,3,1,1,1,1,1,1,1"}),
            "oscbo: --from[4]: 3 is outside [0, 2]\n");
}

TEST(BenchLander, RefusesInvalidArguments) {
  EXPECT_EQ(oscbo({"bench", "lander", "--weights", "1,2,3"}).status, 3);
  EXPECT_EQ(oscbo({"bench", "lander", "--weights", "1,2,3,4,5,6,7,8,9,10,11,nan"}).status, 3);
  EXPECT_EQ(oscbo({"bench", "lander", "--weights", "a"}).status, 2);
  EXPECT_EQ(oscbo({"bench", "lander", "--terrains", "0"}).status, 2);
  EXPECT_EQ(oscbo({"bench", "lander", "--search", "0"}).status, 2);
  EXPECT_EQ(oscbo({"bench", "lander", "--search", "2", "--terrains", "5"}).status, 2);
  EXPECT_EQ(oscbo({"bench", "lander", "--jobs", "2"}).status, 2);
  EXPECT_EQ(oscbo({"bench", "lander", "--search", "1", "--from", "3,3,3,3,3,3,3,3,3,3,3,3"}).status,
            3);
  EXPECT_EQ(oscbo({"bench", "lander", "--terrains", "1", "--svg", "/no/such/place.svg"}).status, 6);
}

}  // namespace
}  // namespace oscbo::cli
