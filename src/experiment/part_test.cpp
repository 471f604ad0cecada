#include "experiment/part.hpp"

#include <cmath>
#include <set>

#include <gtest/gtest.h>

#include "experiment/calibration_figures.hpp"
#include "experiment/result_cells.hpp"
#include "experiment/test_support.hpp"

namespace oscbo::experiment {
namespace {

std::vector<RunRow> some_rows() {
  std::vector<RunRow> rows(3);
  rows[0] = {.step = 0, .x = {1.0}, .y = 2.0, .best = 2.0, .simple_regret = 8.0};
  rows[1] = {
      .step = 1, .x = {0.1}, .y = 0.1, .best = 2.0, .simple_regret = 8.0, .cumulative_regret = 9.9};
  rows[2] = {.step = 2,
             .x = {0.5},
             .y = 1.0 / 3.0,
             .best = 9.0,
             .simple_regret = 1.0,
             .cumulative_regret = 19.8};
  rows[1].prediction = prediction(1.0, 0.1, 0.5);
  rows[1].prediction->observation_sd = 0.3;
  rows[1].feedback = Feedback{.covered = false, .calibration_loss = 3.0};
  rows[2].prediction = prediction(0.3, 0.1, 0.25);
  rows[2].prediction->observation_sd = 0.15;
  rows[2].feedback = Feedback{.covered = true, .calibration_loss = -0.5};
  return rows;
}

class Part : public DirectoryTest {
 protected:
  void SetUp() override {
    DirectoryTest::SetUp();
    PartWriter writer(path());
    for (const RunRow& row : some_rows()) writer.add(row);
    writer.finish();
  }

  [[nodiscard]] std::filesystem::path path() const {
    return directory() / part_name("levy5", "oscbo", 3);
  }
};

TEST_F(Part, ReturnsWhatWasWritten) {
  std::vector<std::string> lines;
  const std::optional<RunTotals> totals = read_part(path(), [&](const PartLine& line) {
    lines.push_back(std::string(line.run) + ' ' + std::string(line.timing) + ' ' +
                    std::string(line.query));
  });
  ASSERT_TRUE(totals);
  EXPECT_EQ(totals->rows, 3U);
  EXPECT_EQ(totals->covered, 1U);
  EXPECT_EQ(totals->width_sum, 0.75);
  EXPECT_EQ(totals->simple_regret, 1.0);
  EXPECT_EQ(totals->cumulative_regret, 19.8);
  const CalibrationReport report = calibration(some_rows());
  EXPECT_EQ(report.predictions, 2);
  EXPECT_EQ(to_columns(totals->calibration), to_columns(figures_of(report)));
  ASSERT_EQ(lines.size(), 3U);
  const RunRow last = some_rows().back();
  EXPECT_EQ(lines.back(), run_cells(last) + ' ' + timing_cells(last) + ' ' + query_cells(last));
}

TEST_F(Part, IsRefusedWhenTruncatedAnywhere) {
  const std::string whole = contents(path());
  for (std::size_t size = 0; size < whole.size(); ++size) {
    overwrite(path(), whole.substr(0, size));
    ASSERT_FALSE(read_part(path())) << "cut to " << size << " of " << whole.size() << " bytes";
  }
}

TEST_F(Part, IsRefusedWhenAnyByteIsChanged) {
  const std::string whole = contents(path());
  for (std::size_t at = 0; at < whole.size(); ++at) {
    std::string damaged = whole;
    damaged[at] = static_cast<char>(damaged[at] ^ 1);
    overwrite(path(), damaged);
    ASSERT_FALSE(read_part(path())) << "byte " << at;
  }
}

TEST_F(Part, HasNoCalibrationWithoutAModel) {
  PartWriter writer(path());
  for (RunRow row : some_rows()) {
    row.prediction.reset();
    row.feedback.reset();
    writer.add(row);
  }
  writer.finish();
  const std::optional<RunTotals> totals = read_part(path());
  ASSERT_TRUE(totals);
  EXPECT_EQ(totals->calibration.predictions, 0.0);
  for (const double coverage : totals->calibration.coverage) EXPECT_TRUE(std::isnan(coverage));
  EXPECT_TRUE(std::isnan(totals->calibration.crps));
}

TEST_F(Part, IsRefusedInAnEarlierFormat) {
  std::string text = contents(path());
  ASSERT_TRUE(text.starts_with("oscbo-part 3\n"));
  text.replace(0, text.find('\n'), "oscbo-part 2");
  const std::size_t end = text.find("\nend ") + 1;
  numeric::Checksum checksum;
  checksum.add(std::string_view(text).substr(0, end));
  overwrite(path(), text.substr(0, end) + "end " + checksum.hex() + '\n');
  EXPECT_FALSE(read_part(path()));
}

TEST_F(Part, IsRefusedWhenMissing) { EXPECT_FALSE(read_part(directory() / "none.part")); }

TEST(PartName, IsAFileNameAndDiffersBetweenRuns) {
  const std::set<std::string> names = {
      part_name("levy5", "oscbo", 1),     part_name("levy5", "oscbo", 11),
      part_name("table:a/b.csv", "m", 0), part_name("table:a%2Fb.csv", "m", 0),
      part_name("a~b", "c", 0),           part_name("a", "b~c", 0),
      part_name("..", "..", 0),
  };
  EXPECT_EQ(names.size(), 7U);
  for (const std::string& name : names) EXPECT_EQ(name.find('/'), std::string::npos);
}

TEST(PartName, IsShortenedOnlyIfTooLongForAFile) {
  const auto name = [](std::size_t length, int seed) {
    return part_name(std::string(length, 'a'), "m", seed);
  };
  EXPECT_EQ(name(191, 0), std::string(191, 'a') + "~m~0.part") << "200 bytes";
  const std::set<std::string> names = {name(191, 0), name(192, 0), name(192, 1), name(1000, 0),
                                       name(1001, 0)};
  EXPECT_EQ(names.size(), 5U);
  for (const std::string& each : names) {
    EXPECT_LE(each.size(), 240U);
    EXPECT_TRUE(each.ends_with(".part"));
  }
  EXPECT_EQ(name(1000, 0).substr(0, 201), std::string(200, 'a') + "~");
}

TEST_F(Part, CanBeWrittenUnderALongName) {
  const std::filesystem::path path =
      directory() / part_name("table:" + std::string(300, '/'), std::string(300, 'v'), 3);
  PartWriter writer(path);
  for (const RunRow& row : some_rows()) writer.add(row);
  writer.finish();
  EXPECT_TRUE(read_part(path));
}

}  // namespace
}  // namespace oscbo::experiment
