#include <array>
#include <filesystem>

#include "experiment/files.hpp"
#include "oscbo/error.hpp"
#include "oscbo/experiment.hpp"
#include "oscbo/paper.hpp"
#include "paper/claims.hpp"
#include "paper/illustration.hpp"
#include "paper/paper_plan.hpp"
#include "paper/paper_report.hpp"
#include "paper/paper_results.hpp"
#include "report/gnuplot.hpp"
#include "report/report.hpp"

namespace oscbo {
namespace {

using paper::PaperStage;

/// Combines the progress of all stages. A run on the lander takes a different time from a run on
/// other tasks, so the pace of one does not predict the other.
class PaperPace {
 public:
  PaperPace(const std::vector<PaperStage>& stages, const PaperProgressFunction& report)
      : stages_(stages), report_(report) {}

  void show(std::size_t current, const ExperimentProgress& progress) {
    Pace& pace = paces_[stages_[current].lander ? 1 : 0];
    pace.current_runs = static_cast<double>(progress.done - progress.resumed);
    pace.current_seconds = progress.seconds;
    if (!report_) return;
    PaperProgress overall{.stage = stages_[current].grid, .seconds_left = progress.seconds_left};
    for (std::size_t i = 0; i < stages_.size(); ++i) {
      overall.total += stages_[i].runs();
      if (i < current) overall.done += stages_[i].runs();
      if (i > current) add_expected(overall, stages_[i]);
    }
    overall.done += progress.done;
    report_(overall);
  }

  /// finish_stage keeps the pace of stage `current` for later estimates.
  void finish_stage(std::size_t current) {
    Pace& pace = paces_[stages_[current].lander ? 1 : 0];
    pace.runs += pace.current_runs;
    pace.seconds += pace.current_seconds;
    pace.current_runs = 0.0;
    pace.current_seconds = 0.0;
  }

 private:
  struct Pace {
    double runs = 0.0;  // runs of earlier stages
    double seconds = 0.0;
    double current_runs = 0.0;
    double current_seconds = 0.0;
  };

  void add_expected(PaperProgress& overall, const PaperStage& stage) const {
    const Pace& pace = paces_[stage.lander ? 1 : 0];
    const double runs = pace.runs + pace.current_runs;
    if (runs == 0.0) {
      overall.more_to_come = true;
      return;
    }
    overall.seconds_left +=
        (pace.seconds + pace.current_seconds) / runs * static_cast<double>(stage.runs());
  }

  const std::vector<PaperStage>& stages_;
  const PaperProgressFunction& report_;
  std::array<Pace, 2> paces_ = {};
};

}  // namespace

PaperResult run_paper(const PaperPlan& plan, const PaperProgressFunction& progress,
                      const std::atomic<bool>* stop) {
  if (experiment::exists(plan.out / "plan.json")) {
    throw Error(ErrorCode::conflict, plan.out.string(),
                "holds another experiment, whose report would be lost; choose another --out");
  }
  if (plan.figures) report::require_gnuplot();
  const std::vector<PaperStage> stages = paper::paper_stages(plan);
  PaperPace pace(stages, progress);
  for (std::size_t i = 0; i < stages.size(); ++i) {
    run_experiment(
        stages[i].plan, [&](const ExperimentProgress& stage) { pace.show(i, stage); }, stop);
    pace.finish_stage(i);
  }
  return report_paper(plan, progress);
}

PaperResult report_paper(const PaperPlan& plan, const PaperProgressFunction& progress) {
  const auto show = [&](std::string_view stage, std::size_t done, std::size_t total) {
    if (progress) progress({.stage = stage, .done = done, .total = total});
  };
  const std::vector<PaperStage> stages = paper::recorded_stages(plan.out);
  const paper::PaperResults results = paper::read_paper_results(plan.out);
  const paper::RunCount runs = paper::count_runs(results, stages);
  const report::ReportPaths paths(plan.out);
  PaperResult result{.claims = paper::check_claims(results),
                     .files = {paths.page, paths.markdown},
                     .runs_finished = runs.finished,
                     .runs_planned = runs.planned};
  show("illustration", 0, 1);
  const report::Report report =
      paper::paper_report(results, stages, result.claims, paper::illustration_figure());
  report::write_report_files(
      report, plan.out, plan.figures,
      [&](std::size_t done, std::size_t total) { show("figures", done, total); });
  if (plan.figures) result.files.push_back(paths.figures);
  return result;
}

}  // namespace oscbo
