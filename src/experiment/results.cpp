#include "experiment/results.hpp"

#include <cerrno>
#include <cstddef>
#include <iterator>
#include <span>

#include <fmt/format.h>

#include "experiment/files.hpp"
#include "experiment/result_cells.hpp"
#include "experiment/statistics.hpp"
#include "text/csv.hpp"

namespace oscbo::experiment {
namespace {

using text::csv_cell;
using text::number;

/// The cells that identify the run of a line.
std::string run_prefix(const RunKey& run) {
  return fmt::format("{},{},{},", csv_cell(run.method), csv_cell(run.task), run.seed);
}

/// The three files with one line per evaluation.
class LongFiles {
 public:
  explicit LongFiles(const std::filesystem::path& directory)
      : runs_(directory / "runs.csv"),
        timings_(directory / "timings.csv"),
        queries_(directory / "queries.csv") {
    runs_.write(kRunsHeader);
    timings_.write(kTimingsHeader);
    queries_.write(kQueriesHeader);
  }

  RunTotals append(const RunKey& run, const std::filesystem::path& part) {
    const std::string prefix = run_prefix(run);
    const std::optional<RunTotals> totals = read_part(part, [&](const PartLine& line) {
      runs_.write(fmt::format("{}{}\n", prefix, line.run));
      timings_.write(fmt::format("{}{}\n", prefix, line.timing));
      queries_.write(fmt::format("{}{}\n", prefix, line.query));
    });
    if (!totals) throw Error(ErrorCode::io, part.string(), "changed while it was being read");
    return *totals;
  }

  void commit() {
    runs_.commit();
    timings_.commit();
    queries_.commit();
  }

 private:
  AtomicFile runs_;
  AtomicFile timings_;
  AtomicFile queries_;
};

/// The cells of outcomes.csv after those that identify the run.
std::string outcome_cells(const RunTotals& totals) {
  return fmt::format("{},{},{},{},{},{}", number(totals.initial_regret),
                     number(totals.simple_regret), number(totals.cumulative_regret),
                     number(totals.coverage()), number(totals.calibration.mean_width),
                     number(totals.lengthscale));
}

/// The results of the seeds of one (task, method).
struct Group {
  std::vector<double> simple_regrets;
  std::vector<double> cumulative_regrets;
  double covered = 0.0;
  double predicted = 0.0;
  double width_sum = 0.0;

  void add(const RunTotals& totals) {
    simple_regrets.push_back(totals.simple_regret);
    cumulative_regrets.push_back(totals.cumulative_regret);
    covered += static_cast<double>(totals.covered);
    predicted += totals.calibration.predictions;
    width_sum += totals.width_sum;
  }
};

SummaryRow summarise(const RunKey& run, const Group& group) {
  // Without predictions, coverage and width are 0 / 0, the NaN that SummaryRow documents.
  return {.task = run.task,
          .method = run.method,
          .seeds = static_cast<int>(group.simple_regrets.size()),
          .simple_regret = mean(group.simple_regrets),
          .simple_regret_se = standard_error(group.simple_regrets),
          .cumulative_regret = mean(group.cumulative_regrets),
          .cumulative_regret_se = standard_error(group.cumulative_regrets),
          .coverage = group.covered / group.predicted,
          .mean_width = group.width_sum / group.predicted};
}

std::vector<double> task_ranks(std::span<const SummaryRow> rows, double SummaryRow::*regret) {
  std::vector<double> values;
  for (const SummaryRow& row : rows) values.push_back(row.*regret);
  return ranks(values);
}

void rank_task(std::span<SummaryRow> rows) {
  const std::vector<double> simple = task_ranks(rows, &SummaryRow::simple_regret);
  const std::vector<double> cumulative = task_ranks(rows, &SummaryRow::cumulative_regret);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    rows[i].simple_rank = simple[i];
    rows[i].cumulative_rank = cumulative[i];
  }
}

void rank_within_tasks(std::span<SummaryRow> rows) {
  for (std::size_t first = 0; first < rows.size();) {
    std::size_t last = first;
    while (last < rows.size() && rows[last].task == rows[first].task) ++last;
    rank_task(rows.subspan(first, last - first));
    first = last;
  }
}

void write_summary(const std::filesystem::path& path, const std::vector<SummaryRow>& rows) {
  AtomicFile file(path);
  file.write(kSummaryHeader);
  for (const SummaryRow& row : rows) file.write(summary_line(row));
  file.commit();
}

}  // namespace

PlanRecord read_record(const ResultDirectory& directory) {
  if (!experiment::exists(directory.root)) throw io_error(directory.root, "cannot be read", ENOENT);
  const std::filesystem::path path = directory.plan();
  if (!experiment::exists(path)) {
    throw Error(ErrorCode::conflict, directory.root.string(),
                "has no plan.json: it is not a directory of results");
  }
  return parse_record(read_text(path), path);
}

std::vector<RunKey> recorded_runs(const PlanRecord& record) {
  std::vector<RunKey> runs;
  for (const std::string& task : record.tasks) {
    for (const std::string& method : record.methods) {
      for (int seed = 0; seed < record.seeds; ++seed) {
        runs.push_back({.task = task, .method = method, .seed = seed});
      }
    }
  }
  return runs;
}

std::vector<SummaryRow> assemble_results(const ResultDirectory& directory,
                                         const std::vector<RunKey>& finished) {
  LongFiles files(directory.root);
  AtomicFile calibration(directory.root / "calibration.csv");
  AtomicFile outcomes(directory.root / "outcomes.csv");
  calibration.write(kCalibrationHeader);
  outcomes.write(kOutcomesHeader);
  std::vector<SummaryRow> summary;
  Group group;
  for (auto run = finished.begin(); run != finished.end(); ++run) {
    const RunTotals totals = files.append(*run, directory.part(*run));
    calibration.write(
        fmt::format("{}{}\n", run_prefix(*run), calibration_cells(totals.calibration)));
    outcomes.write(fmt::format("{}{}\n", run_prefix(*run), outcome_cells(totals)));
    group.add(totals);
    const auto next = std::next(run);
    if (next == finished.end() || next->task != run->task || next->method != run->method) {
      summary.push_back(summarise(*run, group));
      group = Group{};
    }
  }
  rank_within_tasks(summary);
  files.commit();
  calibration.commit();
  outcomes.commit();
  write_summary(directory.root / "summary.csv", summary);
  return summary;
}

}  // namespace oscbo::experiment
