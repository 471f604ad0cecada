#include "report/report_tables.hpp"

#include <cmath>
#include <limits>

#include <gtest/gtest.h>

#include "report/run_groups_test_support.hpp"

namespace oscbo::report {
namespace {

using Row = std::vector<std::string>;

TEST(WithError, ShowsTwoDigitsOfTheErrorAndTheMeanToTheSamePlace) {
  EXPECT_EQ(with_error(0.1237, 0.0204), "0.124 ± 0.020");
  EXPECT_EQ(with_error(12.345, 0.5), "12.35 ± 0.50");
  EXPECT_EQ(with_error(-3.0, 12.0), "-3 ± 12");
  EXPECT_EQ(with_error(1234.5, 123.0), "1230 ± 120");
  EXPECT_EQ(with_error(0.5, 0.0996), "0.50 ± 0.10") << "0.0996 rounds to 0.10, not 0.100";
  EXPECT_EQ(with_error(1.5, 0.996), "1.5 ± 1.0");
}

TEST(WithError, WritesTinyAndHugeErrorsWithAnExponent) {
  EXPECT_EQ(with_error(1.234e-7, 3.4e-8), "1.23e-07 ± 3.4e-08");
  EXPECT_EQ(with_error(0.0, 3.4e-8), "0e+00 ± 3.4e-08");
  EXPECT_EQ(with_error(1e-10, 3.4e-8), "1e-10 ± 3.4e-08") << "one digit at least";
  EXPECT_EQ(with_error(12345678.0, 2300000.0), "1.23e+07 ± 2.3e+06");
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  EXPECT_EQ(with_error(0.5, kInfinity), "0.5 ± inf");
  EXPECT_EQ(with_error(-kInfinity, 0.25), "-inf ± 0.25");
  EXPECT_EQ(with_error(kInfinity, std::numeric_limits<double>::quiet_NaN()), "inf");
}

TEST(WithError, ShowsTheMeanAloneWithoutAnError) {
  EXPECT_EQ(with_error(0.123456, NAN), "0.1235");
  EXPECT_EQ(with_error(2.0, 0.0), "2 ± 0");
  EXPECT_EQ(with_error(NAN, NAN), "");
  EXPECT_EQ(with_error(NAN, 1.0), "");
}

TEST(MeansTable, HasARowPerTaskAndMethod) {
  const RunGroups groups =
      hand_groups({"first", "second"}, {"oscbo", "random"},
                  {with_model(hand_group("first", "oscbo", {1.0, 3.0})),
                   hand_group("first", "random", {1.0}), hand_group("second", "random", {5.0})});
  const ReportTable table = means_table(groups);
  ASSERT_EQ(table.rows.size(), 3U);
  for (const Row& row : table.rows) EXPECT_EQ(row.size(), table.header.size());
  EXPECT_EQ(table.rows[0], (Row{"first", "oscbo", "2", "2.0 ± 1.0", "2", "20 ± 10", "2", "0.5 ± 0",
                                "3 ± 0", "0.25 ± 0"}));
  EXPECT_EQ(table.rows[1], (Row{"first", "random", "1", "1", "1", "10", "1", "", "", ""}));
  EXPECT_EQ(table.rows[2][4], "1") << "alone on its task";
}

TEST(MeansTable, RanksEachRegretByItself) {
  RunGroups groups =
      hand_groups({"task"}, {"oscbo", "ocbo"},
                  {hand_group("task", "oscbo", {1.0}), hand_group("task", "ocbo", {2.0})});
  groups.groups[0].runs[0].totals.cumulative_regret = 90.0;  // the other run has 20
  const ReportTable table = means_table(groups);
  EXPECT_EQ((Row{table.rows[0].begin() + 3, table.rows[0].begin() + 7}),
            (Row{"1", "1", "90", "2"}));
  EXPECT_EQ((Row{table.rows[1].begin() + 3, table.rows[1].begin() + 7}),
            (Row{"2", "2", "20", "1"}));
}

/// In clear_groups, `oscbo` beats `ocbo` on every task.
RunGroups clear_groups(const std::vector<std::string>& tasks) {
  std::vector<RunGroup> groups;
  for (const std::string& task : tasks) {
    groups.push_back(hand_group(task, "ocbo", {2.0, 4.0}));
    groups.push_back(hand_group(task, "oscbo", {1.0, 1.0}));
  }
  return hand_groups(tasks, {"ocbo", "oscbo"}, groups);
}

ReportTable ranks_of(const RunGroups& groups, Quantity regret) {
  return rank_table(final_scores(groups, groups.methods, regret), groups, regret);
}

TEST(RankTable, TellsMethodsApartByTheCriticalDifference) {
  // Friedman's statistic is 12 N / (k (k + 1)) sum (mean rank - 3/2)^2 = 8 (1/4 + 1/4) = 4.
  // Chi-square with one degree of freedom exceeds it with probability erfc(sqrt(2)) = 0.0455.
  // Nemenyi's difference is 1.96 sqrt(k (k + 1) / (6 N)) = 0.98, which is less than the difference
  // 1 of the ranks.
  const ReportTable table = ranks_of(clear_groups({"a", "b", "c", "d"}), Quantity::simple_regret);
  EXPECT_EQ(table.header, (Row{"method", "mean rank", "not told apart", "normalised regret", "a",
                               "b", "c", "d"}));
  ASSERT_EQ(table.rows.size(), 2U);
  EXPECT_EQ(table.rows[0], (Row{"oscbo", "1 ± 0", "a", "0.25 ± 0", "1", "1", "1", "1"}));
  EXPECT_EQ(table.rows[1], (Row{"ocbo", "2 ± 0", "b", "0.75 ± 0", "2", "2", "2", "2"}));
  EXPECT_NE(table.note.find("chi-square 4, p = 0.046"), std::string::npos) << table.note;
  EXPECT_NE(table.note.find("(Nemenyi, 5 %): 0.98"), std::string::npos) << table.note;
}

TEST(RankTable, GivesOneLetterToMethodsThatAreNotToldApart) {
  const ReportTable table = ranks_of(clear_groups({"a", "b", "c"}), Quantity::simple_regret);
  EXPECT_EQ(table.rows[0][2], "a") << "the critical difference of three tasks is 1.13";
  EXPECT_EQ(table.rows[1][2], "a");
}

TEST(RankTable, NormalisesCumulativeRegretByTheSteps) {
  const ReportTable table = ranks_of(clear_groups({"a", "b"}), Quantity::cumulative_regret);
  EXPECT_EQ(table.rows[0][3], "1.25 ± 0") << "10 over two steps of an initial regret of 4";
}

TEST(RankTable, LeavesOutTasksWithoutInitialRegretFromTheNormalisedOne) {
  RunGroups groups = clear_groups({"a", "b", "c"});
  for (RunGroup& group : groups.groups) {
    if (group.task != "c") continue;
    for (RunOutcome& run : group.runs) run.totals.initial_regret = 0.0;
  }
  const ReportTable table = ranks_of(groups, Quantity::simple_regret);
  EXPECT_EQ(table.rows[0][3], "0.25 ± 0");
  EXPECT_EQ(table.rows[1][3], "0.75 ± 0");
}

TEST(RankTable, NumbersTheLettersAfterTheAlphabet) {
  // 28 methods have the same order on every task. With 3000 tasks, each differs significantly from
  // the next: q is below 4 for 28 methods, and the critical difference is below 4 sqrt(28 * 29 / (6
  // * 3000)) = 0.85.
  constexpr std::size_t kManyMethods = 28;
  constexpr std::size_t kTasks = 3000;
  FinalScores scores;
  RunGroups groups;
  std::vector<double> row;
  for (std::size_t i = 0; i < kManyMethods; ++i) {
    scores.methods.push_back("m" + std::to_string(i));
    row.push_back(static_cast<double>(i));
  }
  const RunGroup some = hand_group("", "", {1.0});
  for (const std::string& method : scores.methods) {
    groups.groups.push_back(some);
    groups.groups.back().task = "task";
    groups.groups.back().method = method;
  }
  scores.tasks.assign(kTasks, "task");
  scores.scores.assign(kTasks, row);
  const std::vector<RankedMethod> ranked = rank_methods(scores, groups, Quantity::simple_regret);
  EXPECT_EQ(ranked[0].letters, "a");
  EXPECT_EQ(ranked[25].letters, "z");
  EXPECT_EQ(ranked[26].letters, "a1");
  EXPECT_EQ(ranked[27].letters, "b1");
}

TEST(RankTable, OfOneTaskHasNoCriticalDifference) {
  const ReportTable table = ranks_of(clear_groups({"a"}), Quantity::simple_regret);
  EXPECT_EQ(table.rows[0], (Row{"oscbo", "1", "", "0.25", "1"}));
  EXPECT_EQ(table.note.find("Nemenyi"), std::string::npos);
  EXPECT_NE(table.note.find("ranked within the task (1 is best"), std::string::npos);
}

/// paired_groups has one run per seed in each group. On task a, the differences ocbo - oscbo
/// alternate between 1 and 3, and oscbo-l1 ties with oscbo.
RunGroups paired_groups(std::size_t seeds) {
  std::vector<double> reference;
  std::vector<double> worse;
  for (std::size_t seed = 0; seed < seeds; ++seed) {
    reference.push_back(static_cast<double>(seed));
    worse.push_back(reference.back() + (seed % 2 == 0 ? 1.0 : 3.0));
  }
  return hand_groups({"a", "b"}, {"oscbo", "ocbo", "oscbo-l1"},
                     {hand_group("a", "oscbo", reference), hand_group("a", "ocbo", worse),
                      hand_group("a", "oscbo-l1", reference), hand_group("b", "oscbo", reference),
                      hand_group("b", "ocbo", reference)});
}

TEST(PairedTable, ComparesSeedBySeedAndThenOverTasks) {
  const ReportTable table = paired_table(paired_groups(10), Quantity::simple_regret, "oscbo");
  ASSERT_EQ(table.rows.size(), 5U);
  for (const Row& row : table.rows) EXPECT_EQ(row.size(), table.header.size());
  const Row& worse = table.rows[0];
  EXPECT_EQ((Row{worse[0], worse[1], worse[2], worse[3]}), (Row{"a", "ocbo", "10", "2"}));
  EXPECT_EQ((Row{worse.begin() + 5, worse.end()}), (Row{"0.5", "0", "10", "worse"}))
      << "2 in units of the initial regret 4";
  EXPECT_EQ(table.rows[1], (Row{"a", "oscbo-l1", "10", "0", "0 .. 0", "0", "0", "0", "undecided"}));
  EXPECT_EQ(table.rows[2][0], "b");
  EXPECT_EQ(table.rows[3], (Row{"all tasks", "ocbo", "20", "", "", "0.25", "0", "10",
                                "0 better, 1 worse, 1 undecided"}));
  EXPECT_EQ(table.rows[4][8], "0 better, 0 worse, 1 undecided");
}

TEST(PairedTable, ChangesSignWithTheReference) {
  const ReportTable table = paired_table(paired_groups(10), Quantity::cumulative_regret, "ocbo");
  EXPECT_EQ((Row{table.rows[0].begin(), table.rows[0].begin() + 4}),
            (Row{"a", "oscbo", "10", "-20"}));
  EXPECT_EQ(table.rows[0][5], "-2.5") << "-20 over two steps of an initial regret of 4";
  EXPECT_EQ(table.rows[0][8], "better");
}

TEST(PairedTable, LeavesTheVerdictOpenForFewSeeds) {
  EXPECT_EQ(paired_table(paired_groups(5), Quantity::simple_regret, "oscbo").rows[0][8],
            "undecided");
  EXPECT_EQ(paired_table(paired_groups(6), Quantity::simple_regret, "oscbo").rows[0][8], "worse");
  EXPECT_EQ(paired_table(paired_groups(5), Quantity::simple_regret, "ocbo").rows[0][8],
            "undecided");
  EXPECT_EQ(paired_table(paired_groups(6), Quantity::simple_regret, "ocbo").rows[0][8], "better");
}

TEST(PairedTable, TakesTheSeedsThatBothHave) {
  RunGroups groups = paired_groups(10);
  groups.groups[1].runs.erase(groups.groups[1].runs.begin(), groups.groups[1].runs.begin() + 3);
  groups.groups[0].runs.pop_back();
  const Row row = paired_table(groups, Quantity::simple_regret, "oscbo").rows[0];
  EXPECT_EQ(row[2], "6") << "seeds 3 .. 8";
  EXPECT_EQ(row[3], "2");
}

TEST(PairedTable, PoolsTheTasksThatHaveAnInitialRegret) {
  RunGroups groups = paired_groups(10);
  for (RunOutcome& run : groups.groups[3].runs) run.totals.initial_regret = 0.0;  // oscbo on b
  const ReportTable table = paired_table(groups, Quantity::simple_regret, "oscbo");
  EXPECT_EQ(table.rows[2][5], "") << "no unit on b";
  EXPECT_EQ(table.rows[3][5], "0.5") << "that of a alone";
}

TEST(CalibrationTable, EndsWithItsThreeScores) {
  RunGroups groups =
      hand_groups({"task"}, {"oscbo"}, {with_model(hand_group("task", "oscbo", {1.0}))});
  CalibrationFigures& figures = groups.groups[0].runs[0].totals.calibration;
  figures.pit_distance = 0.125;
  figures.log_score = -2.5;
  figures.crps = 0.75;
  const ReportTable table = calibration_table(groups);
  EXPECT_EQ((Row{table.header.end() - 3, table.header.end()}),
            (Row{"PIT distance", "log score", "CRPS"}));
  EXPECT_EQ((Row{table.rows[0].end() - 3, table.rows[0].end()}), (Row{"0.125", "-2.5", "0.75"}));
}

TEST(CalibrationTable, LeavesOutMethodsWithoutAModel) {
  const RunGroups groups = hand_groups(
      {"task"}, {"oscbo", "random"},
      {with_model(hand_group("task", "oscbo", {1.0, 2.0})), hand_group("task", "random", {1.0})});
  const ReportTable table = calibration_table(groups);
  ASSERT_EQ(table.rows.size(), 1U);
  EXPECT_EQ(table.rows[0].size(), table.header.size());
  EXPECT_EQ((Row{table.rows[0].begin(), table.rows[0].begin() + 3}),
            (Row{"task", "oscbo", "50.0"}));
}

TEST(TimeTable, HasSecondsPerRunAndPerSuggestion) {
  const RunGroups groups =
      hand_groups({"task"}, {"oscbo"}, {hand_group("task", "oscbo", {1.0, 2.0})});
  EXPECT_EQ(time_table(groups).rows,
            std::vector<Row>{(Row{"task", "oscbo", "1.50 ± 0.25", "0.75"})});
}

}  // namespace
}  // namespace oscbo::report
