#include "oscbo/lander_search.hpp"

#include <algorithm>
#include <atomic>
#include <exception>
#include <mutex>
#include <thread>
#include <utility>

#include <Eigen/Core>
#include <fmt/format.h>

#include "numeric/random_stream.hpp"
#include "oscbo/error.hpp"
#include "paper/evolution.hpp"
#include "problems/lander.hpp"

namespace oscbo::lander {
namespace {

using numeric::Purpose;
using numeric::RandomStream;
using paper::EvolutionSearch;

constexpr int kLongestSearch = 1500;  // evaluations
constexpr int kRandomStarts = 50;     // a search begins at the best of these
constexpr double kFirstStep = 0.1;    // relative to the width of the box

std::vector<double> weights_of(const Eigen::VectorXd& unit) {
  std::vector<double> weights(kWeights);
  Eigen::Map<Eigen::VectorXd>(weights.data(), unit.size()) = kMaxWeight * unit;
  return weights;
}

Eigen::VectorXd unit_of(const std::vector<double>& weights) {
  return Eigen::Map<const Eigen::VectorXd>(weights.data(), kWeights) / kMaxWeight;
}

void check_plan(const SearchPlan& plan) {
  const auto refuse = [](const char* field, int value) {
    throw Error(ErrorCode::invalid_value, field,
                fmt::format("{} is not accepted; use a positive number", value));
  };
  if (plan.evaluations < 1) refuse("evaluations", plan.evaluations);
  if (plan.jobs < 1) refuse("jobs", plan.jobs);
  if (plan.terrains < 1) refuse("terrains", 0);
  check_start(plan.start, "start");
}

/// Thrown to end a search early.
struct Stopped {};

/// Runs the searches in threads. Each search has its share of the evaluations and its own random
/// stream, so results do not depend on the number of threads.
class Searches {
 public:
  Searches(const SearchPlan& plan, const std::function<void(int, int)>& progress,
           const std::atomic<bool>* stop)
      : plan_(plan),
        progress_(progress),
        stop_(stop),
        results_(static_cast<std::size_t>((plan.evaluations - 1) / kLongestSearch + 1)) {}

  std::vector<SearchResult> run() {
    {
      std::vector<std::jthread> threads;
      const std::size_t count = std::min(static_cast<std::size_t>(plan_.jobs), results_.size());
      for (std::size_t i = 0; i < count; ++i) threads.emplace_back([this] { work(); });
    }
    if (failure_) std::rethrow_exception(failure_);
    std::erase_if(results_, [](const SearchResult& result) { return result.evaluations == 0; });
    return std::move(results_);
  }

 private:
  [[nodiscard]] bool must_stop() const {
    return failed_.load() || (stop_ != nullptr && stop_->load());
  }

  void work() {
    try {
      while (!must_stop()) {
        const std::size_t index = next_.fetch_add(1);
        if (index >= results_.size()) return;
        search_from(index);
      }
    } catch (const Stopped&) {
      return;  // results_ has everything found so far
    } catch (...) {
      const std::scoped_lock lock(mutex_);
      if (!failure_) failure_ = std::current_exception();
      failed_.store(true);
    }
  }

  double evaluate(const Eigen::VectorXd& unit) {
    if (must_stop()) throw Stopped{};
    const double value = mean_return(fly_terrains(weights_of(unit), plan_.terrains));
    const std::scoped_lock lock(mutex_);
    ++done_;
    if (progress_) progress_(done_, plan_.evaluations);
    return value;
  }

  void search_from(std::size_t index) {
    const int begin = static_cast<int>(index) * kLongestSearch;
    const int budget = std::min(plan_.evaluations - begin, kLongestSearch);
    RandomStream stream(plan_.seed, Purpose::lander_search, index);
    const int starts = index == 0 ? 1 : std::min(budget, kRandomStarts);

    SearchResult& result = results_[index];
    result.random_start = index > 0;
    Eigen::VectorXd start = unit_of(plan_.start);
    for (int i = 0; i < starts; ++i) {
      Eigen::VectorXd candidate = start;
      if (index > 0) {
        for (double& coordinate : candidate) coordinate = stream.uniform();
      }
      const double value = evaluate(candidate);
      if (i == 0 || value > result.start_value) {
        start = std::move(candidate);
        result.start_value = value;
        record_best(result, start, value);
      }
      ++result.evaluations;
    }

    EvolutionSearch search(std::move(start), result.start_value, kFirstStep, stream);
    for (int i = starts; i < budget; ++i) {
      search.learn(evaluate(search.propose()));
      record_best(result, search.best(), search.best_value());
      ++result.evaluations;
    }
  }

  static void record_best(SearchResult& result, const Eigen::VectorXd& unit, double value) {
    result.value = value;
    result.weights = weights_of(unit);
  }

  const SearchPlan& plan_;
  const std::function<void(int, int)>& progress_;
  const std::atomic<bool>* stop_;
  std::vector<SearchResult> results_;
  std::atomic<std::size_t> next_ = 0;
  std::atomic<bool> failed_ = false;
  std::mutex mutex_;
  int done_ = 0;
  std::exception_ptr failure_;
};

}  // namespace

void check_start(std::span<const double> start, std::string_view field) {
  check_weights(start, field);
  for (std::size_t j = 0; j < start.size(); ++j) {
    if (start[j] < 0.0 || start[j] > kMaxWeight) {
      throw Error(ErrorCode::invalid_value, fmt::format("{}[{}]", field, j),
                  fmt::format("{} is outside [0, {}]", start[j], kMaxWeight));
    }
  }
}

std::vector<SearchResult> search_weights(const SearchPlan& plan,
                                         const std::function<void(int, int)>& progress,
                                         const std::atomic<bool>* stop) {
  check_plan(plan);
  return Searches(plan, progress, stop).run();
}

}  // namespace oscbo::lander
