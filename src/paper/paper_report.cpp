#include "paper/paper_report.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "base/counted.hpp"
#include "paper/ablation_figures.hpp"
#include "paper/claims.hpp"
#include "paper/sweep_report.hpp"
#include "report/report_figures.hpp"
#include "report/report_tables.hpp"

namespace oscbo::paper {
namespace {

constexpr const char* kComparedWith = "gp-ucb-mll";

/// The planned and finished runs of a grid.
struct GridAccount {
  std::set<std::string> tasks = {};
  std::size_t methods = 0;
  std::string seeds = {};
  int steps = 0;
  std::size_t planned = 0;
  std::size_t finished = 0;
};

void count_finished(GridAccount& account, const report::RunGroups& groups) {
  for (const report::RunGroup& group : groups.groups) {
    if (!account.tasks.contains(group.task)) continue;
    account.finished += group.runs.size();
  }
}

/// only_variants returns the groups of the sweep that do not come from the main experiment.
report::RunGroups only_variants(report::RunGroups groups) {
  std::erase_if(groups.groups,
                [](const report::RunGroup& group) { return !is_variant(group.method); });
  return groups;
}

std::map<std::string, GridAccount> account_grids(const PaperResults& results,
                                                 const std::vector<PaperStage>& stages) {
  std::map<std::string, GridAccount> accounts;
  for (const PaperStage& stage : stages) {
    GridAccount& account = accounts[stage.grid];
    account.tasks.insert(stage.plan.tasks.begin(), stage.plan.tasks.end());
    account.methods = stage.plan.methods.size();
    account.steps = stage.plan.steps;
    account.planned += stage.runs();
    const std::string seeds = std::to_string(stage.plan.seeds);
    if (account.seeds.empty()) {
      account.seeds = seeds;
    } else if (account.seeds != seeds) {
      account.seeds += fmt::format(" (lander {})", seeds);
    }
  }
  count_finished(accounts["main"], results.main);
  count_finished(accounts["ablations"], results.ablations);
  count_finished(accounts["sweep"], only_variants(results.sweep));
  return accounts;
}

report::ReportTable runs_table(const PaperResults& results, const std::vector<PaperStage>& stages) {
  report::ReportTable table{
      .title = "Runs",
      .header = {"grid", "tasks", "methods", "seeds", "rounds", "runs", "finished"}};
  for (const auto& [grid, account] : account_grids(results, stages)) {
    table.rows.push_back({grid, std::to_string(account.tasks.size()),
                          std::to_string(account.methods), account.seeds,
                          std::to_string(account.steps), std::to_string(account.planned),
                          std::to_string(account.finished)});
  }
  return table;
}

/// in_context_text says which methods have an in-context model, and how the paper counts them.
std::string in_context_text(const PaperResults& results) {
  std::string text =
      results.tabicl_sha256.empty()
          ? "The paper's baseline TabICLv2 is left out: no file with its weights was named."
          : fmt::format(
                "The paper's baseline TabICLv2 is `tabicl`, with the weights of SHA-256 {}.",
                results.tabicl_sha256);
  if (contains(results.main.methods, kPfn)) {
    text +=
        " `pfn` is not in the paper. It is a small neural network (an in-context model) that is "
        "part of oscbo. It has no lengthscale, and it maximises LogEI instead of UCB. The tables "
        "and figures of the main experiment show and rank it beside the paper's methods. The "
        "claims and the sections on other kernels and on the open choices leave it out.";
  }
  return text;
}

report::ReportSection protocol_section(const PaperResults& results,
                                       const std::vector<PaperStage>& stages) {
  return {
      .title = "What was run",
      .text = fmt::format(
          "Every run starts with an initial design that depends only on task and seed, followed by "
          "{} of the method. Unless a section says otherwise, the surrogate is a Gaussian process "
          "with an isotropic Matérn kernel (ν = 2.5), a fixed output scale and noise variance 0.01 "
          "in units of standardised observations. The acquisition function is UCB with β = 2. A "
          "fit of the lengthscale takes 50 steps of Adam and starts from the previous lengthscale. "
          "Observations have no noise. The simple regret takes the initial design into account; "
          "the cumulative regret counts only the rounds after it. Within each task, methods are "
          "ranked by their mean regret over seeds. These ranks are then averaged over tasks.\n\n"
          "{}\n\n"
          "There are three grids of runs. `main` compares the methods. `ablations` changes the "
          "smoothness of the kernel, the acquisition function or the number of lengthscales. "
          "`sweep` varies two choices that the paper leaves open: the first value of the "
          "multiplier and the start of each fit.",
          base::counted(results.main.steps, "round"), in_context_text(results)),
      .tables = {runs_table(results, stages)}};
}

std::string count_verdicts(const std::vector<PaperClaim>& claims) {
  std::string text;
  for (const Verdict verdict :
       {Verdict::reproduced, Verdict::not_reproduced, Verdict::unclear, Verdict::unchecked}) {
    const auto count = std::ranges::count(claims, verdict, &PaperClaim::verdict);
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", count, to_string(verdict));
  }
  return text;
}

/// claims_text explains why the ranks in the claims differ from those in the tables.
std::string claims_text(const PaperResults& results, const std::vector<PaperClaim>& claims) {
  std::string text =
      "The paper's claims about its results, checked against the results here: " +
      count_verdicts(claims) +
      ". A claim is unclear if its rule decides neither way. The numbers of seeds and "
      "tasks that a rule states are minimum numbers. The initial regret is the regret after "
      "the initial design. Intervals are 95 % bootstrap intervals.";
  if (contains(results.main.methods, kPfn)) {
    text +=
        " In the claims, ranks are among the paper's methods alone. The tables below also rank "
        "`pfn`, so the ranks in them differ.";
  }
  return text;
}

report::ReportSection regret_section(const report::RunGroups& main, report::Quantity regret) {
  const bool simple = regret == report::Quantity::simple_regret;
  const report::FinalScores scores =
      report::final_scores(main, report::methods_with_runs(main), regret);
  report::ReportSection section{
      .title = simple ? "Simple regret" : "Cumulative regret",
      .text = simple ? "Simple regret is how far the best value so far is below the optimum."
                     : "Cumulative regret adds up, over the rounds, how far each value is below "
                       "the optimum.",
      .figures = {report::regret_figure(main, regret)}};
  if (contains(main.methods, kPfn)) section.text += " `pfn` is not in the paper.";
  if (!scores.tasks.empty()) section.tables.push_back(report::rank_table(scores, main, regret));
  if (simple) section.tables.push_back(report::means_table(main));
  return section;
}

report::ReportSection likelihood_section(const report::RunGroups& main) {
  return {
      .title = "Paired comparisons",
      .text = fmt::format("Every method is compared with `{}`. With the same seed, both start from "
                          "the same initial design.",
                          kComparedWith),
      .tables = {report::paired_table(main, report::Quantity::simple_regret, kComparedWith),
                 report::paired_table(main, report::Quantity::cumulative_regret, kComparedWith)}};
}

report::ReportSection ablation_section(const PaperResults& results) {
  report::ReportSection section{
      .title = "Other kernels and acquisitions",
      .text =
          "Each regime changes one thing in the main experiment: the smoothness ν of the kernel, "
          "LogEI in place of UCB, or one lengthscale per parameter (ARD). Not every method was run "
          "in every regime.",
      .figures = {ablation_ranks_figure(results), ablation_curves_figure(results)}};
  for (const RegimeResults& regime : results.regimes) {
    const report::FinalScores scores = report::final_scores(
        regime.groups, report::methods_with_runs(regime.groups), report::Quantity::simple_regret);
    if (regime.regime.setting.empty() || scores.tasks.empty()) continue;
    report::ReportTable table =
        report::rank_table(scores, regime.groups, report::Quantity::simple_regret);
    table.title = fmt::format("{}: {}", regime.regime.title, table.title);
    section.tables.push_back(std::move(table));
  }
  return section;
}

report::ReportSection diagnostics_section(const PaperResults& results) {
  const report::RunGroups& main = results.main;
  report::ReportSection section{
      .title = "Diagnostics",
      .text =
          "Regret, coverage, width, violation and lengthscale along the runs: first for levy5 "
          "alone, then for every task.",
      .tables = {report::calibration_table(main)}};
  if (!std::isnan(results.pfn_coverage)) {
    section.text += fmt::format(
        " The nominal level in the figures is that of the paper's methods. The intervals of "
        "`pfn` are wider by design: their nominal coverage is {:.1f} %.",
        100.0 * results.pfn_coverage);
  }
  const report::RunGroups levy = select_groups(main, {"levy5"}, main.methods);
  if (!levy.groups.empty()) {
    report::Figure figure = report::diagnostics_figure(levy);
    figure.name = "diagnostics-levy5";
    figure.title = "Diagnostics on levy5";
    section.figures.push_back(std::move(figure));
  }
  section.figures.push_back(report::diagnostics_figure(main));
  return section;
}

report::ReportSection time_section(const report::RunGroups& main) {
  const report::RunGroups timed =
      select_groups(main, {"levy5", "hartmann3", "concrete7"}, main.methods);
  const report::RunGroups& shown = timed.groups.empty() ? main : timed;
  const std::string tasks = timed.groups.empty() ? "" : " on some of the tasks";
  return {.title = "Computation time",
          .text = "The time that suggestions took" + tasks +
                  ", on the machine that made these runs. With `--jobs N`, N runs at a time shared "
                  "the machine.",
          .tables = {report::time_table(shown)},
          .figures = {report::time_figure(shown)}};
}

report::ReportSection sweep_section(const report::RunGroups& sweep) {
  return {.title = "Two open choices",
          .text =
              "The paper does not say at which value the multiplier starts (`dual.lambda0`), nor "
              "whether a fit starts from the previous lengthscale (`fit.start=warm`) or always "
              "from the same lengthscale (`fit.start=cold`). The default of oscbo is "
              "`dual.lambda0=mll`. With this value, the objective of oscbo is at first "
              "proportional to the negative log marginal likelihood, apart from the perturbation.",
          .tables = {sweep_table(sweep)},
          .figures = {sweep_figure(sweep)}};
}

std::string unfinished_text(const RunCount& runs) {
  if (runs.finished >= runs.planned) return "";
  return fmt::format(" ({} of {} runs are finished)", runs.finished, runs.planned);
}

}  // namespace

RunCount count_runs(const PaperResults& results, const std::vector<PaperStage>& stages) {
  RunCount count;
  for (const auto& [grid, account] : account_grids(results, stages)) {
    count.finished += account.finished;
    count.planned += account.planned;
  }
  return count;
}

report::Report paper_report(const PaperResults& results, const std::vector<PaperStage>& stages,
                            const std::vector<PaperClaim>& claims,
                            const report::Figure& illustration) {
  const RunCount runs = count_runs(results, stages);
  report::Report report{
      .title = "The experiments of the paper",
      .subtitle =
          fmt::format("{}, {}, {}; claims: {}{}", base::counted(results.main.tasks.size(), "task"),
                      base::counted(results.main.methods.size(), "method"),
                      base::counted(results.main.steps, "round"), count_verdicts(claims),
                      unfinished_text(runs))};
  report.sections.push_back(protocol_section(results, stages));
  report.sections.push_back(
      {.title = "Claims", .text = claims_text(results, claims), .tables = {claims_table(claims)}});
  report.sections.push_back({.title = "Illustration",
                             .text = "Four methods on a function of one variable.",
                             .figures = {illustration}});
  report.sections.push_back(regret_section(results.main, report::Quantity::simple_regret));
  report.sections.push_back(regret_section(results.main, report::Quantity::cumulative_regret));
  report.sections.push_back(likelihood_section(results.main));
  report.sections.push_back(ablation_section(results));
  report.sections.push_back(diagnostics_section(results));
  report.sections.push_back(time_section(results.main));
  report.sections.push_back(sweep_section(results.sweep));
  return report;
}

}  // namespace oscbo::paper
