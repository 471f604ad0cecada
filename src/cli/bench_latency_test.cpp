// `oscbo bench latency`, through the program.
#include <chrono>
#include <csignal>
#include <thread>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "test_process.hpp"

namespace oscbo::cli {
namespace {

Arguments small_latency(const Arguments& more) {
  Arguments arguments = {"bench", "latency", "--points", "10,12", "--asks", "2"};
  arguments.insert(arguments.end(), more.begin(), more.end());
  return arguments;
}

TEST(BenchLatency, HasARowPerNumberOfPointsAndDrawsThem) {
  const TemporaryFolder workspace;
  const std::string picture = workspace / "latency.svg";
  const Outcome outcome = oscbo(small_latency(
      {"--dimensions", "3,2", "--set", "threads=1", "--plot", picture, "--format", "json"}));
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_EQ(outcome.err, "") << "progress is shown only on a terminal";
  const nlohmann::json rows = nlohmann::json::parse(outcome.out);
  ASSERT_EQ(rows.size(), 4U);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const nlohmann::json& row = rows[i];
    EXPECT_EQ(row["method"], "auto");
    EXPECT_EQ(row["threads"], 1);
    EXPECT_EQ(row["d"], i < 2 ? 2 : 3);
    EXPECT_EQ(row["n"], i % 2 == 0 ? 10 : 12);
    EXPECT_EQ(row["asks"], 2);
    for (const char* column : {"ask_p50_seconds", "ask_p99_seconds", "refit_seconds",
                               "amortised_seconds", "tell_p50_seconds"}) {
      EXPECT_GE(row[column].get<double>(), 0.0) << column;
    }
    EXPECT_TRUE(row["growth_exponent"].is_null()) << "the exponent needs larger n";
  }
  EXPECT_TRUE(file_text(picture).starts_with("<svg "));
}

TEST(BenchLatency, TableShowsMethodThreadsAndGrowth) {
  const Arguments fitted = {"bench", "latency", "--points", "300,301",  "--dimensions",
                            "2",     "--asks",  "1",        "--method", "sobol+threads=1"};
  const Outcome table = oscbo(fitted);
  ASSERT_EQ(table.status, 0) << table.err;
  EXPECT_TRUE(table.out.starts_with("sobol+threads=1, 1 thread\n\n")) << table.out;
  EXPECT_TRUE(contains(table.out, "ask p50")) << table.out;
  EXPECT_TRUE(contains(table.out, "\n\nd  growth exponent\n")) << table.out;
  Arguments as_page = fitted;
  as_page.insert(as_page.end(), {"--format", "markdown"});
  EXPECT_TRUE(contains(oscbo(as_page).out, "\n\n| d | growth exponent |\n"));

  const Outcome unfitted = oscbo(small_latency({"--method", "sobol", "--dimensions", "2"}));
  EXPECT_FALSE(contains(unfitted.out, "growth exponent")) << unfitted.out;
}

TEST(BenchLatency, PrintsTheTableEvenIfThePictureCannotBeWritten) {
  const Outcome outcome = oscbo(
      small_latency({"--dimensions", "2", "--plot", "/no/such/place.svg", "--format", "csv"}));
  EXPECT_EQ(outcome.status, 6);
  EXPECT_TRUE(contains(outcome.err, "/no/such/place.svg")) << outcome.err;
  EXPECT_TRUE(outcome.out.starts_with("method,threads,d,n,asks,")) << outcome.out;
}

TEST(BenchLatency, PrintsNothingWhenStopped) {
  const Process process(oscbo_command(
      {"bench", "latency", "--points", "10", "--dimensions", "2", "--asks", "100000"}));
  std::this_thread::sleep_for(std::chrono::seconds(1));
  process.signal(SIGINT);
  const Outcome outcome = process.wait();
  EXPECT_EQ(outcome.status, 130);
  EXPECT_EQ(outcome.err, "oscbo: bench latency: stopped\n");
  EXPECT_EQ(outcome.out, "");
}

TEST(BenchLatency, NamesTheInvalidOption) {
  const auto expect = [](const Arguments& more, int status, std::string_view message) {
    Arguments arguments = {"bench", "latency"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    const Outcome outcome = oscbo(arguments);
    EXPECT_EQ(outcome.status, status) << outcome.err;
    EXPECT_TRUE(contains(outcome.err, message)) << outcome.err;
    EXPECT_EQ(outcome.out, "");
  };
  expect({"--points", "0"}, 2, "--points");
  expect({"--points", "ten"}, 2, "--points");
  expect({"--points", "5"}, 3, "--points: 5 is not accepted; it must be at least 10");
  expect({"--dimensions", "0"}, 2, "--dimensions");
  expect({"--dimensions", "1001"}, 2, "--dimensions");
  expect({"--asks", "0"}, 2, "--asks");
  expect({"--seed", "-1"}, 2, "--seed");
  expect({"--format", "xml"}, 2, "--format");
  expect({"--method", "nothing"}, 4, "nothing");
  expect({"--set", "kernel.nu=0"}, 3, "kernel.nu");
}

}  // namespace
}  // namespace oscbo::cli
