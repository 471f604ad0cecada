// The calibration of finished runs, through the program.
#include <sstream>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "test_process.hpp"

namespace oscbo::cli {
namespace {

class BenchCalibration : public testing::Test {
 protected:
  void SetUp() override {
    const Outcome outcome =
        oscbo({"bench", "run", "--tasks", "branin,levy2", "--methods", "oscbo,gp-ucb-mll",
               "--seeds", "2", "--steps", "4", "--out", workspace_ / "results"});
    ASSERT_EQ(outcome.status, 0) << outcome.err;
  }

  [[nodiscard]] Outcome calibration(const Arguments& more = {}) const {
    Arguments arguments = {"bench", "calibration", workspace_ / "results"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return oscbo(arguments);
  }

  [[nodiscard]] const TemporaryFolder& workspace() const { return workspace_; }

 private:
  TemporaryFolder workspace_;
};

/// Returns the mean over seeds of a column of calibration.csv.
double mean_in_file(const std::string& text, const std::string& start, std::size_t column) {
  std::istringstream lines(text);
  double sum = 0.0;
  double count = 0.0;
  for (std::string line; std::getline(lines, line);) {
    if (!line.starts_with(start)) continue;
    std::istringstream cells(line);
    std::string cell;
    for (std::size_t i = 0; i <= column; ++i) std::getline(cells, cell, ',');
    sum += std::stod(cell);
    count += 1.0;
  }
  return sum / count;
}

TEST_F(BenchCalibration, PrintsTheMeansOfTheFile) {
  const std::string file = file_text(workspace() / "results/calibration.csv");
  const Outcome outcome = calibration({"--format", "json"});
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  const auto rows = nlohmann::ordered_json::parse(outcome.out);
  ASSERT_EQ(rows.size(), 4U);
  EXPECT_EQ(rows[0].at("task"), "branin");
  EXPECT_EQ(rows[3].at("method"), "gp-ucb-mll");
  EXPECT_EQ(rows[3].at("seeds"), 2);
  // The file has the columns method, task and seed, then those of the rows under the same names.
  std::istringstream header(file.substr(0, file.find('\n')));
  std::string name;
  for (std::size_t column = 0; std::getline(header, name, ','); ++column) {
    if (column < 3) continue;
    const double expected = mean_in_file(file, "gp-ucb-mll,levy2,", column);
    EXPECT_NEAR(rows[3].at(name).get<double>(), expected, 1e-12 * std::abs(expected)) << name;
  }
}

TEST_F(BenchCalibration, ShowsMeasuredBesideNominalCoverage) {
  const std::string table = calibration().out;
  for (const char* text : {"50 %", "80 %", "84.3 %", "90 %", "95 %", "pit_distance", "mean_width",
                           "log_score", "crps", "branin", "levy2", "gp-ucb-mll"}) {
    EXPECT_TRUE(contains(table, text)) << text << " in\n" << table;
  }
  const std::string csv = calibration({"--format", "csv"}).out;
  EXPECT_TRUE(
      csv.starts_with("task,method,seeds,predictions,coverage50,coverage80,coverage84,"
                      "coverage90,coverage95,pit_distance,mean_width,log_score,crps\n"
                      "branin,oscbo,2,4,"))
      << csv;
}

TEST_F(BenchCalibration, RefusesADirectoryWithoutResults) {
  const auto expect_refusal = [](const std::string& directory, int status, const char* message) {
    const Outcome outcome = oscbo({"bench", "calibration", directory});
    EXPECT_EQ(outcome.status, status);
    EXPECT_EQ(outcome.out, "");
    EXPECT_EQ(outcome.err, "oscbo: " + directory + ": " + message + '\n');
  };
  expect_refusal(workspace() / "missing", 6, "cannot be read: No such file or directory");
  expect_refusal(workspace() / "results/parts", 5,
                 "has no plan.json: it is not a directory of results");
  std::filesystem::remove_all(workspace() / "results/parts");
  expect_refusal(workspace() / "results", 5,
                 "has no finished run yet; start one with 'oscbo bench run'");
  EXPECT_EQ(oscbo({"bench", "calibration"}).status, 2);
}

}  // namespace
}  // namespace oscbo::cli
