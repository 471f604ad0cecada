#include <algorithm>
#include <atomic>
#include <chrono>
#include <exception>
#include <mutex>
#include <thread>
#include <utility>

#include <fmt/format.h>

#include "base/counted.hpp"
#include "experiment/files.hpp"
#include "experiment/part.hpp"
#include "experiment/plan.hpp"
#include "experiment/results.hpp"
#include "experiment/time_left.hpp"
#include "numeric/parallel.hpp"
#include "oscbo/experiment.hpp"

namespace oscbo {
namespace {

using experiment::PlanRecord;
using experiment::ResultDirectory;
using experiment::RunKey;
using Clock = std::chrono::steady_clock;
using ProgressFunction = std::function<void(const ExperimentProgress&)>;

/// The runs of a directory, in the order of the result files.
struct RunList {
  std::vector<RunKey> results;  // finished runs, and pending runs that will be finished
  std::vector<RunKey> pending;
  std::size_t requested = 0;  // runs of this invocation, pending or already finished
};

/// Refuses to overwrite files without a plan.json, and the report of run_paper.
void refuse_foreign_files(const ResultDirectory& directory) {
  if (experiment::exists(directory.root / "main" / "plan.json")) {
    throw Error(ErrorCode::conflict, directory.root.string(),
                "holds the paper's experiments; choose another --out");
  }
  if (experiment::exists(directory.plan())) return;
  for (const char* name : {"parts", "runs.csv", "timings.csv", "queries.csv", "calibration.csv",
                           "outcomes.csv", "summary.csv"}) {
    const std::filesystem::path path = directory.root / name;
    if (!experiment::exists(path)) continue;
    throw Error(ErrorCode::conflict, path.string(),
                "exists without a plan.json that describes its contents; choose another --out");
  }
}

PlanRecord record_plan(const ResultDirectory& directory, const ExperimentPlan& plan,
                       const experiment::Tasks& tasks) {
  const std::filesystem::path path = directory.plan();
  PlanRecord record =
      experiment::exists(path)
          ? experiment::extend_record(experiment::parse_record(experiment::read_text(path), path),
                                      plan, path)
          : experiment::make_record(plan);
  experiment::add_sources(record, tasks, path);
  experiment::write_text(path, experiment::to_json(record));
  return record;
}

bool is_requested(const ExperimentPlan& plan, const RunKey& run) {
  return run.seed < plan.seeds && std::ranges::find(plan.tasks, run.task) != plan.tasks.end() &&
         std::ranges::find(plan.methods, run.method) != plan.methods.end();
}

/// A damaged part was finished once, so it is run again even if this invocation did not request it.
RunList list_runs(const ResultDirectory& directory, const PlanRecord& record,
                  const ExperimentPlan& plan) {
  RunList list;
  for (RunKey& run : experiment::recorded_runs(record)) {
    const std::filesystem::path part = directory.part(run);
    const bool requested = is_requested(plan, run);
    const bool finished = experiment::read_part(part).has_value();
    const bool pending = !finished && (requested || experiment::exists(part));
    if (requested || pending) ++list.requested;
    if (pending) list.pending.push_back(run);
    if (pending || finished) list.results.push_back(std::move(run));
  }
  return list;
}

/// A damaged run may belong to a task that this invocation did not request.
void add_pending_tasks(experiment::Tasks& tasks, const RunList& runs, const ExperimentPlan& plan,
                       PlanRecord record, const ResultDirectory& directory) {
  for (const RunKey& run : runs.pending) {
    if (!tasks.contains(run.task)) tasks.emplace(run.task, make_problem(run.task, plan.data));
  }
  experiment::add_sources(record, tasks, directory.plan());
}

/// Runs the pending runs in threads. The first failure stops all threads.
class Workers {
 public:
  Workers(const ResultDirectory& directory, const ExperimentPlan& plan,
          const experiment::Tasks& tasks, const RunList& runs, const ProgressFunction& progress,
          const std::atomic<bool>* stop)
      : directory_(directory),
        plan_(plan),
        tasks_(tasks),
        runs_(runs),
        report_(progress),
        stop_(stop),
        time_left_(plan.jobs) {
    for (const RunKey& run : runs.pending) time_left_.expect(run.task);
    progress_.total = runs.requested;
    progress_.resumed = runs.requested - runs.pending.size();
    progress_.done = progress_.resumed;
  }

  void run() {
    if (report_) report_(progress_);
    const std::size_t count = std::min(static_cast<std::size_t>(plan_.jobs), runs_.pending.size());
    {
      std::vector<std::jthread> threads;
      for (std::size_t i = 0; i < count; ++i) {
        threads.emplace_back([this, count] {
          const numeric::ThreadLimit limit(
              count > 1 ? 1 : 0);  // the workers already use the processors
          work();
        });
      }
    }
    if (failure_) std::rethrow_exception(failure_);
    if (progress_.done < progress_.total) {
      throw Error(ErrorCode::interrupted, "",
                  fmt::format("stopped with {} of {} finished; the same command continues",
                              progress_.done, base::counted(progress_.total, "run")));
    }
  }

 private:
  [[nodiscard]] bool must_stop() const {
    return failed_.load() || (stop_ != nullptr && stop_->load());
  }

  void work() {
    while (!must_stop()) {
      const std::size_t index = next_.fetch_add(1);
      if (index >= runs_.pending.size()) return;
      const Clock::time_point begin = Clock::now();
      try {
        if (finish_run(runs_.pending[index])) count_finished(runs_.pending[index].task, begin);
      } catch (...) {
        fail(std::current_exception());
      }
    }
  }

  bool finish_run(const RunKey& run) {
    const RunConfig config = experiment::effective_config(plan_, run.method);
    experiment::PartWriter part(directory_.part(run));
    const bool complete = run_once(tasks_.at(run.task), config,
                                   static_cast<std::uint64_t>(run.seed), [&](const RunRow& row) {
                                     part.add(row);
                                     return !must_stop();
                                   });
    if (complete) part.finish();
    return complete;
  }

  void count_finished(const std::string& task, Clock::time_point begin) {
    const std::scoped_lock lock(mutex_);
    const Clock::time_point now = Clock::now();
    time_left_.finish(task, std::chrono::duration<double>(now - begin).count());
    ++progress_.done;
    progress_.seconds = std::chrono::duration<double>(now - start_).count();
    progress_.seconds_left = time_left_.seconds();
    if (report_) report_(progress_);
  }

  void fail(std::exception_ptr failure) {
    const std::scoped_lock lock(mutex_);
    if (!failure_) failure_ = std::move(failure);
    failed_.store(true);
  }

  const ResultDirectory& directory_;
  const ExperimentPlan& plan_;
  const experiment::Tasks& tasks_;
  const RunList& runs_;
  const ProgressFunction& report_;
  const std::atomic<bool>* stop_;
  Clock::time_point start_ = Clock::now();
  std::atomic<std::size_t> next_ = 0;
  std::atomic<bool> failed_ = false;
  std::mutex mutex_;  // guards the members below
  experiment::TimeLeft time_left_;
  ExperimentProgress progress_;
  std::exception_ptr failure_;
};

}  // namespace

std::vector<SummaryRow> run_experiment(const ExperimentPlan& plan, const ProgressFunction& progress,
                                       const std::atomic<bool>* stop) {
  experiment::Tasks tasks = experiment::check_plan(plan);
  const ResultDirectory directory{plan.out};
  experiment::make_directory(directory.root);
  refuse_foreign_files(directory);
  const experiment::DirectoryLock lock(directory.root);
  const PlanRecord record = record_plan(directory, plan, tasks);
  experiment::make_directory(directory.parts());
  experiment::remove_temporaries(directory.parts());

  const RunList runs = list_runs(directory, record, plan);
  add_pending_tasks(tasks, runs, plan, record, directory);
  Workers(directory, plan, tasks, runs, progress, stop).run();
  return experiment::assemble_results(directory, runs.results);
}

}  // namespace oscbo
