#include "paper/paper_report.hpp"

#include <algorithm>

#include <gtest/gtest.h>

#include "report/report_test_support.hpp"
#include "report/run_groups_test_support.hpp"

namespace oscbo::paper {
namespace {

using Names = std::vector<std::string>;

PaperStage stage_of(const std::string& grid, const std::string& task, Names methods, int seeds) {
  return {.grid = grid,
          .plan = {.tasks = {task}, .methods = std::move(methods), .seeds = seeds, .steps = 2}};
}

std::vector<PaperStage> some_stages() {
  const Names variants = {"oscbo+fit.start=cold", "oscbo+dual.lambda0=one"};
  return {stage_of("main", "levy5", {"oscbo", "gp-ucb-mll"}, 3),
          stage_of("sweep", "levy5", variants, 3),
          stage_of("main", "lunar12", {"oscbo", "gp-ucb-mll"}, 3),
          stage_of("sweep", "lunar12", variants, 2)};
}

/// In paper_results, all runs of the main experiment are finished except those of gp-ucb-mll on the
/// lander. The sweep has two finished runs, and an unplanned task has one.
PaperResults paper_results() {
  const report::RunGroup oscbo = report::hand_group("levy5", "oscbo", {1.0, 2.0, 3.0});
  PaperResults results{
      .main =
          report::hand_groups({"levy5", "lunar12"}, {"oscbo", "gp-ucb-mll"},
                              {oscbo, report::hand_group("levy5", "gp-ucb-mll", {2.0, 2.0, 2.0}),
                               report::hand_group("lunar12", "oscbo", {1.0, 1.0, 1.0}),
                               report::hand_group("forgotten", "oscbo", {1.0})}),
      .sweep = report::hand_groups(
          {"levy5", "lunar12"}, swept_variants(),
          {oscbo, report::hand_group("levy5", "oscbo+fit.start=cold", {1.0, 1.0})})};
  for (const PaperRegime& regime : paper_regimes()) {
    report::RunGroups groups = results.main;
    groups.methods = regime.methods;
    results.regimes.push_back({.regime = regime, .groups = groups});
  }
  return results;
}

TEST(PaperReport, CountsTheRunsOfEveryGridOnce) {
  const RunCount count = count_runs(paper_results(), some_stages());
  EXPECT_EQ(count.planned, 2U * 2 * 3 + 2 * 3 + 2 * 2);
  EXPECT_EQ(count.finished, 9U + 2);
}

TEST(PaperReport, SaysWhatWasRunAndWhatIsMissing) {
  const std::vector<PaperClaim> claims = {{.verdict = Verdict::reproduced},
                                          {.verdict = Verdict::unclear},
                                          {.verdict = Verdict::unchecked},
                                          {.verdict = Verdict::reproduced}};
  const report::Report report = paper_report(paper_results(), some_stages(), claims, {});
  EXPECT_EQ(report.subtitle,
            "2 tasks, 2 methods, 2 rounds; claims: 2 reproduced, 0 not reproduced, 1 unclear, 1 "
            "unchecked (11 of 22 runs are finished)");
  const report::ReportTable runs = report::section_called(report, "What was run").tables.front();
  const auto row = [&](const std::string& grid) {
    return *std::ranges::find(runs.rows, grid, [](const Names& cells) { return cells[0]; });
  };
  EXPECT_EQ(row("main"), (Names{"main", "2", "2", "3", "2", "12", "9"}));
  EXPECT_EQ(row("sweep"), (Names{"sweep", "2", "2", "3 (lander 2)", "2", "10", "2"}));
}

TEST(PaperReport, DoesNotSpeakOfMissingRunsWhenThereAreNone) {
  const std::vector<PaperStage> stages = {stage_of("main", "levy5", {"oscbo", "gp-ucb-mll"}, 3),
                                          stage_of("sweep", "levy5", {"oscbo+fit.start=cold"}, 2)};
  const report::Report report = paper_report(paper_results(), stages, {}, {});
  EXPECT_EQ(report.subtitle.find("finished"), std::string::npos) << report.subtitle;
}

/// text_of returns the text of a section of the report on `results`.
std::string text_of(const PaperResults& results, const std::string& section) {
  return report::section_called(paper_report(results, some_stages(), {}, {}), section).text;
}

TEST(PaperReport, SaysThatPfnIsNotInThePaper) {
  PaperResults results = paper_results();
  const char* said = "`pfn` is not in the paper";
  const Names sections = {"What was run", "Simple regret", "Cumulative regret"};
  for (const std::string& section : sections) {
    EXPECT_EQ(text_of(results, section).find(said), std::string::npos) << "pfn was not run";
  }
  results.main.methods.emplace_back("pfn");
  for (const std::string& section : sections) {
    EXPECT_NE(text_of(results, section).find(said), std::string::npos) << section;
  }
  EXPECT_NE(text_of(results, "Claims").find("among the paper's methods alone"), std::string::npos);
}

TEST(PaperReport, SaysWhichLevelTheIntervalsOfPfnHave) {
  PaperResults results = paper_results();
  EXPECT_EQ(text_of(results, "Diagnostics").find("pfn"), std::string::npos);
  results.pfn_coverage = 0.9;
  EXPECT_NE(text_of(results, "Diagnostics").find("90.0 %"), std::string::npos);
}

TEST(PaperReport, NamesTheWeightsOfTabiclOrTheirAbsence) {
  PaperResults results = paper_results();
  EXPECT_NE(text_of(results, "What was run").find("TabICLv2 is left out"), std::string::npos);
  results.tabicl_sha256 = "0db9cb53";
  EXPECT_NE(text_of(results, "What was run").find("SHA-256 0db9cb53"), std::string::npos);
}

TEST(PaperReport, ComparesWithTheMarginalLikelihood) {
  const report::Report report = paper_report(paper_results(), some_stages(), {}, {});
  const std::vector<report::ReportTable> tables =
      report::section_called(report, "Paired comparisons").tables;
  ASSERT_EQ(tables.size(), 2U);
  EXPECT_EQ(tables[0].title, "Simple regret against gp-ucb-mll");
  EXPECT_EQ(tables[1].title, "Cumulative regret against gp-ucb-mll");
}

TEST(PaperReport, HasARankTableForEveryChangedRegime) {
  const report::Report report = paper_report(paper_results(), some_stages(), {}, {});
  Names titles;
  const report::ReportSection section =
      report::section_called(report, "Other kernels and acquisitions");
  for (const report::ReportTable& table : section.tables) {
    titles.push_back(table.title);
  }
  EXPECT_EQ(titles, (Names{"ν = 0.5: Ranks by simple regret", "ν = 1.5: Ranks by simple regret",
                           "LogEI: Ranks by simple regret", "ARD: Ranks by simple regret"}));
}

}  // namespace
}  // namespace oscbo::paper
