// Measures how well real search spaces are optimised: proposals, constraints, outcomes with limits,
// batches, failures and known noise, each compared with a baseline.
//
//   space_study SEEDS             prints the report docs/research/spaces.md
//   space_study SEEDS batches     prints only the section about batches
#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <functional>
#include <limits>
#include <numeric>
#include <optional>
#include <random>
#include <set>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <fmt/core.h>

#include "optimizer/constrained_proposals_test_support.hpp"
#include "oscbo/optimizer.hpp"
#include "oscbo/problem.hpp"

namespace {

using namespace oscbo;
using Point = std::vector<double>;

constexpr int kEvaluations = 100;

/// Calls work(seed) for the seeds 0 .. count-1 on all cores and returns the results.
template <class Result>
std::vector<Result> for_each_seed(int count, const std::function<Result(std::uint64_t)>& work) {
  std::vector<Result> results(static_cast<std::size_t>(count));
  std::atomic<int> next = 0;
  std::vector<std::jthread> threads;
  for (unsigned i = 0; i < std::max(1U, std::thread::hardware_concurrency()); ++i) {
    threads.emplace_back([&] {
      for (int seed; (seed = next++) < count;) {
        results[static_cast<std::size_t>(seed)] = work(static_cast<std::uint64_t>(seed));
      }
    });
  }
  threads.clear();
  return results;
}

double mean(const std::vector<double>& values) {
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

double standard_error(const std::vector<double>& values) {
  const double centre = mean(values);
  double squares = 0.0;
  for (const double value : values) squares += (value - centre) * (value - centre);
  const auto count = static_cast<double>(values.size());
  return std::sqrt(squares / (count - 1.0) / count);
}

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  const std::size_t half = values.size() / 2;
  return values.size() % 2 == 1 ? values[half] : 0.5 * (values[half - 1] + values[half]);
}

template <class Run>
std::vector<double> column(const std::vector<Run>& runs, double Run::*member) {
  std::vector<double> values;
  for (const Run& run : runs) values.push_back(run.*member);
  return values;
}

/// Cells of a table: "mean +- its standard error", the median, and the mean of the first twenty.
std::string mean_cells(const std::vector<double>& values) {
  const std::vector<double> twenty(
      values.begin(), values.begin() + std::min<std::ptrdiff_t>(20, std::ssize(values)));
  return fmt::format("{:.3g} +- {:.1g} | {:.3g} | {:.3g}", mean(values), standard_error(values),
                     median(values), mean(twenty));
}

Optimizer optimizer_of(const Problem& problem, std::uint64_t seed) {
  Config config = method_config("auto");
  config.budget = kEvaluations - config.initial_points;
  return Optimizer(problem.space, config, seed);
}

// --- proposals -----------------------------------------------------------------------------------

void report_proposals(int seeds) {
  fmt::print(
      "## Proposals\n\nThe table counts the proposals that are outside the space and the proposals "
      "that repeat an earlier one.\n\n"
      "| task | proposals | outside | repeated |\n"
      "| --- | --- | --- | --- |\n");
  struct Run {
    int outside = 0;
    int repeated = 0;
  };
  for (const char* const task : {"hartmann6-levels", "ackley5-int", "levy5-log", "branin-regions",
                                 "rosenbrock4-switch", "two-models", "mixture5"}) {
    const Problem problem = make_problem(task);
    const auto runs = for_each_seed<Run>(seeds, [&](std::uint64_t seed) {
      Optimizer optimizer = optimizer_of(problem, seed);
      std::set<std::string> seen;
      Run run;
      for (int i = 0; i < kEvaluations; ++i) {
        const Suggestion next = optimizer.ask();
        run.outside += test::is_refused(problem.space, next.x) ? 1 : 0;
        std::string key;
        for (const double value : next.x) key += fmt::format("{} ", value);
        run.repeated += seen.insert(key).second ? 0 : 1;
        optimizer.tell(next.trial, problem.value(next.x));
      }
      return run;
    });
    Run sum;
    for (const Run& run : runs) {
      sum.outside += run.outside;
      sum.repeated += run.repeated;
    }
    fmt::print("| {} | {} | {} | {} |\n", task, seeds * kEvaluations, sum.outside, sum.repeated);
  }
}

// --- constraints ---------------------------------------------------------------------------------

void report_constraints(int problems) {
  const auto each =
      for_each_seed<test::ConstrainedProposals>(problems, test::proposals_in_random_problem);
  test::ConstrainedProposals all;
  for (const test::ConstrainedProposals& proposals : each) all.add(proposals);
  fmt::print(
      "\n## Linear constraints\n\nEach problem has two to six random floats and ints and up to "
      "four random constraints between them. Three points are proposed for each problem; a model "
      "chooses the last one. The violation of a constraint is divided by the total size of its "
      "terms. A problem is exhausted if its ints leave fewer than three points.\n\n"
      "| problems | proposals | outside | largest violation | exhausted |\n"
      "| --- | --- | --- | --- | --- |\n| {} | {} | {} | {:.1g} | {} |\n",
      problems, all.points, all.refused, all.violation, all.exhausted);
}

// --- outcomes ------------------------------------------------------------------------------------

void report_outcomes(int seeds) {
  fmt::print(
      "\n## Outcomes with limits\n\nThe table counts the seeds for which the best acceptable value "
      "is within 1 % of the optimum.\n\n| task | seeds | within 1 % |\n| --- | --- | --- |\n");
  for (const char* const task : {"gramacy", "gardner"}) {
    const Problem problem = make_problem(task);
    const auto regrets = for_each_seed<double>(seeds, [&](std::uint64_t seed) {
      Optimizer optimizer = optimizer_of(problem, seed);
      double best = problem.worst;
      for (int i = 0; i < kEvaluations; ++i) {
        const Suggestion next = optimizer.ask();
        const Measurement measurement{.y = problem.value(next.x),
                                      .variance = std::nullopt,
                                      .outcomes = problem.outcomes(next.x)};
        if (problem.accepts(measurement.outcomes)) best = std::max(best, measurement.y.front());
        optimizer.tell(next.trial, measurement);
      }
      return problem.maximum - best;
    });
    const auto found = std::count_if(regrets.begin(), regrets.end(), [&](double regret) {
      return regret <= 0.01 * std::abs(problem.maximum);
    });
    fmt::print("| {} | {} | {} |\n", task, seeds, found);
  }
}

// --- batches -------------------------------------------------------------------------------------

struct BatchRun {
  double regret = 0.0;
  double least_distance = std::numeric_limits<double>::infinity();  // of pending points, unit cube
};

double distance(const Problem& problem, const Point& a, const Point& b) {
  const std::vector<Bounds> bounds = problem.space.bounds();
  double squares = 0.0;
  for (std::size_t k = 0; k < a.size(); ++k) {
    squares += std::pow((a[k] - b[k]) / (bounds[k].upper - bounds[k].lower), 2);
  }
  return std::sqrt(squares);
}

/// Keeps `width` points pending and tells a random one of them next.
BatchRun run_batches(const Problem& problem, std::uint64_t seed, std::size_t width) {
  Optimizer optimizer = optimizer_of(problem, seed);
  std::mt19937_64 order(seed);
  std::vector<Suggestion> pending;
  double best = -std::numeric_limits<double>::infinity();
  BatchRun run;
  for (int asked = 0; asked < kEvaluations || !pending.empty();) {
    while (asked < kEvaluations && pending.size() < width) {
      const Suggestion next = optimizer.ask();
      for (const Suggestion& other : pending) {
        run.least_distance = std::min(run.least_distance, distance(problem, next.x, other.x));
      }
      pending.push_back(next);
      ++asked;
    }
    const auto told = pending.begin() + static_cast<std::ptrdiff_t>(order() % pending.size());
    const double y = problem.value(told->x);
    optimizer.tell(told->trial, y);
    best = std::max(best, y);
    pending.erase(told);
  }
  run.regret = problem.maximum - best;
  return run;
}

/// The means of the first twenty values, the next twenty, and so on.
std::vector<double> means_of_twenty(const std::vector<double>& values) {
  constexpr std::size_t kSeeds = 20;
  std::vector<double> means;
  for (std::size_t first = 0; first + kSeeds <= values.size(); first += kSeeds) {
    means.push_back(mean({values.data() + first, values.data() + first + kSeeds}));
  }
  return means;
}

/// The share of pairs in which the mean of twenty seeds is at most 1.5 times the mean of twenty
/// other seeds with one point at a time. Batches do no harm if this share is as large as without
/// them.
double share_within(const std::vector<double>& regrets, const std::vector<double>& sequential) {
  const std::vector<double> tried = means_of_twenty(regrets);
  const std::vector<double> base = means_of_twenty(sequential);
  int within = 0;
  int pairs = 0;
  for (std::size_t i = 0; i < tried.size(); ++i) {
    for (std::size_t j = 0; j < base.size(); ++j) {
      if (i == j) continue;
      ++pairs;
      within += tried[i] <= 1.5 * base[j] ? 1 : 0;
    }
  }
  return static_cast<double>(within) / pairs;
}

void report_batches(int seeds) {
  fmt::print(
      "\n## Batches\n\nThe table shows the final regret with one point and with four points "
      "pending at a time. Pending points are told in random order. The smallest distance is "
      "between two pending points, with the box scaled to the unit cube. A few runs that end on a "
      "wrong hill dominate the mean. \"first 20 seeds\" is the mean over these seeds. \"20 within "
      "1.5 of other 20\" shows what a comparison of 20 seeds is worth: it is the share of cases in "
      "which the mean of 20 seeds is at most 1.5 times the mean of 20 other seeds with one point "
      "at a time.\n\n"
      "| task | pending | mean | median | first 20 seeds | relative to one at a time | 20 within "
      "1.5 of other 20 | smallest distance |\n"
      "| --- | --- | --- | --- | --- | --- | --- | --- |\n");
  for (const char* const task : {"hartmann6", "levy5"}) {
    const Problem problem = make_problem(task);
    std::vector<double> sequential;
    for (const std::size_t width : {1U, 4U}) {
      const auto runs = for_each_seed<BatchRun>(
          seeds, [&](std::uint64_t seed) { return run_batches(problem, seed, width); });
      const std::vector<double> regrets = column(runs, &BatchRun::regret);
      const std::vector<double> distances = column(runs, &BatchRun::least_distance);
      if (width == 1) sequential = regrets;
      fmt::print("| {} | {} | {} | {:.2f} | {:.0f} % | {} |\n", task, width, mean_cells(regrets),
                 mean(regrets) / mean(sequential), 100.0 * share_within(regrets, sequential),
                 width == 1 ? "" : fmt::format("{:.1g}", *std::ranges::min_element(distances)));
    }
  }
}

// --- failures ------------------------------------------------------------------------------------

struct FailureRun {
  double regret = 0.0;
  double always = 0.0;  // share of evaluations after the first 20 in the region that always fails
  double failed = 0.0;  // share of all evaluations
};

/// A point is in the region if every one of many evaluations would fail.
bool always_fails(const Problem& problem, const Point& x) {
  for (std::uint64_t evaluation = 0; evaluation < 100; ++evaluation) {
    if (!problem.fails(x, /*seed=*/0, evaluation)) return false;
  }
  return true;
}

FailureRun run_failures(const Problem& problem, std::uint64_t seed, bool may_fail,
                        int evaluations) {
  constexpr int kFirst = 20;
  Optimizer optimizer = optimizer_of(problem, seed);
  double best = problem.worst;
  FailureRun run;
  for (int i = 0; i < evaluations; ++i) {
    const Suggestion next = optimizer.ask();
    const bool fails = may_fail && problem.fails(next.x, seed, static_cast<std::uint64_t>(i));
    if (fails) {
      optimizer.tell_failed(next.trial);
      run.failed += 1.0 / evaluations;
      if (i >= kFirst && always_fails(problem, next.x)) run.always += 1.0 / (evaluations - kFirst);
    } else {
      const double y = problem.value(next.x);
      best = std::max(best, y);
      optimizer.tell(next.trial, y);
    }
  }
  run.regret = problem.maximum - best;
  return run;
}

void report_failures(int seeds) {
  fmt::print(
      "\n## Failures\n\nRuns in which evaluations fail are compared with two kinds of runs without "
      "failures: runs with the same number of evaluations, and runs with as many evaluations as "
      "succeed on average. The fourth column is the share of the evaluations after the first 20 "
      "that are in the region where every evaluation fails.\n\n"
      "| task | fails | evaluations | in the region that always fails, after 20 | failed | mean "
      "regret | median | first 20 seeds |\n"
      "| --- | --- | --- | --- | --- | --- | --- | --- |\n");
  for (const char* const task : {"hartmann6-fails", "branin-fails"}) {
    const Problem problem = make_problem(task);
    const auto report = [&](bool may_fail, int evaluations) {
      const auto runs = for_each_seed<FailureRun>(seeds, [&](std::uint64_t seed) {
        return run_failures(problem, seed, may_fail, evaluations);
      });
      const double failed = mean(column(runs, &FailureRun::failed));
      fmt::print("| {} | {} | {} | {:.1f} % | {:.1f} % | {} |\n", task, may_fail ? "yes" : "no",
                 evaluations, 100.0 * mean(column(runs, &FailureRun::always)), 100.0 * failed,
                 mean_cells(column(runs, &FailureRun::regret)));
      return failed;
    };
    const double failed = report(/*may_fail=*/true, kEvaluations);
    report(/*may_fail=*/false, kEvaluations);
    report(/*may_fail=*/false, static_cast<int>(std::lround((1.0 - failed) * kEvaluations)));
  }
}

// --- known noise ---------------------------------------------------------------------------------

/// Alternates between two instruments, one with a hundred times the noise variance of the other.
/// Returns the regret of the true value of the recommended point.
double run_noise(const Problem& problem, std::uint64_t seed, double noise_sd, bool is_told) {
  Optimizer optimizer = optimizer_of(problem, seed);
  std::mt19937_64 random(seed);
  std::normal_distribution<double> normal;
  for (int i = 0; i < kEvaluations; ++i) {
    const Suggestion next = optimizer.ask();
    const double sd = i % 2 == 0 ? noise_sd : 0.1 * noise_sd;
    Measurement measurement{.y = problem.value(next.x) + sd * normal(random)};
    if (is_told) measurement.variance = sd * sd;
    optimizer.tell(next.trial, measurement);
  }
  return problem.maximum - problem.value(optimizer.recommendation().trial.x);
}

void report_noise(int seeds) {
  fmt::print(
      "\n## Known noise\n\nEvery second observation has a hundred times the noise variance of the "
      "others. \"larger sd\" is the standard deviation of the noisier observations. The table "
      "shows the regret of the true value of the recommended point, when the variances are told "
      "and when they are not, so that one noise level is learned for all observations.\n\n"
      "| task | larger sd | variances | mean | median | first 20 seeds |\n"
      "| --- | --- | --- | --- | --- | --- |\n");
  const std::vector<std::pair<const char*, double>> tasks = {
      {"branin", 10.0}, {"hartmann3", 0.5}, {"hartmann6", 0.5}};
  for (const auto& [task, noise_sd] : tasks) {
    const Problem problem = make_problem(task);
    for (const bool is_told : {true, false}) {
      const auto regrets = for_each_seed<double>(seeds, [&, sd = noise_sd](std::uint64_t seed) {
        return run_noise(problem, seed, sd, is_told);
      });
      fmt::print("| {} | {} | {} | {} |\n", task, noise_sd, is_told ? "told" : "one level",
                 mean_cells(regrets));
    }
  }
}

/// Reports progress to standard error; the report goes to standard output.
void announce(const char* text) { fmt::print(stderr, "space_study: {}\n", text); }

}  // namespace

int main(int argc, char** argv) {
  const int seeds = argc > 1 ? std::atoi(argv[1]) : 0;
  if (seeds < 40) {
    fmt::print(stderr, "space_study: give the number of seeds, an integer >= 40\n");
    return 2;
  }
  if (argc > 2 && std::string(argv[2]) == "batches") {
    report_batches(seeds);
    return 0;
  }
  fmt::print(
      "# Measurements on real search spaces\n\n"
      "This page is written by `make study`. Unless a section says otherwise, a run consists of {} "
      "evaluations with `auto`. Means are over seeds; the number after +- is the standard "
      "error.\n\n",
      kEvaluations);
  report_proposals(20);
  announce("proposals done");
  report_constraints(10'000);
  announce("constraints done");
  report_outcomes(20);
  announce("outcomes done");
  report_batches(seeds);
  announce("batches done");
  report_failures(seeds);
  announce("failures done");
  report_noise(20);
}
