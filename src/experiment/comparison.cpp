#include "experiment/comparison.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <limits>
#include <numeric>
#include <string>

#include <boost/math/distributions/chi_squared.hpp>
#include <boost/math/distributions/complement.hpp>
#include <boost/math/distributions/students_t.hpp>
#include <fmt/format.h>

#include "experiment/statistics.hpp"
#include "numeric/normal.hpp"
#include "numeric/quantile.hpp"
#include "numeric/random_stream.hpp"
#include "numeric/studentized_range.hpp"
#include "oscbo/error.hpp"

namespace oscbo::experiment {
namespace {

constexpr double kConfidence = 0.95;
constexpr std::size_t kResamples = 10000;
constexpr std::uint64_t kResamplingSeed = 0;

[[noreturn]] void refuse_scores(const std::string& message) {
  throw Error(ErrorCode::invalid_value, "scores", message);
}

std::size_t method_count(const ScoreTable& scores) {
  return scores.empty() ? 0 : scores.front().size();
}

void check_complete(const ScoreTable& scores) {
  for (std::size_t task = 0; task < scores.size(); ++task) {
    if (scores[task].size() != method_count(scores)) {
      refuse_scores(fmt::format("task {} has {} methods, the first task {}", task,
                                scores[task].size(), method_count(scores)));
    }
    if (std::ranges::any_of(scores[task], [](double score) { return std::isnan(score); })) {
      refuse_scores(fmt::format("a score of task {} is not a number", task));
    }
  }
}

double squared(double value) { return value * value; }

/// Friedman's chi-square of k methods on N tasks in the form that holds with ties,
///
///   (k - 1) sum_j (R_j - N (k + 1) / 2)^2 / sum_ij (r_ij - (k + 1) / 2)^2,
///
/// where R_j sums the ranks r_ij of method j. Without ties the divisor is N k (k^2 - 1) / 12. Ranks
/// are multiples of 1/2 and their sums exact, so the divisor is 0 just when every task is one tie.
double friedman_statistic(std::span<const RankSummary> methods) {
  const auto k = static_cast<double>(methods.size());
  const double middle = 0.5 * (k + 1.0);
  double between = 0.0;
  double total = 0.0;
  for (const RankSummary& method : methods) {
    double deviation = 0.0;
    for (const double rank : method.ranks) {
      deviation += rank - middle;
      total += squared(rank - middle);
    }
    between += squared(deviation);
  }
  return total == 0.0 ? 0.0 : (k - 1.0) * between / total;
}

/// Nemenyi's q sqrt(k (k + 1) / (6 N)), with q the point that the range of k standard normal values
/// exceeds with probability 5 %, over sqrt 2.
double nemenyi_difference(std::size_t methods, std::size_t tasks) {
  const auto k = static_cast<double>(methods);
  const double range = numeric::studentized_range_quantile(kConfidence, static_cast<int>(methods));
  return range * std::sqrt(k * (k + 1.0) / (12.0 * static_cast<double>(tasks)));
}

/// The sets of CriticalDifference::groups: along the methods in order of their mean ranks, every
/// run that closely follows its first method and reaches further than the run before.
std::vector<std::vector<std::size_t>> close_groups(std::span<const RankSummary> methods,
                                                   double difference) {
  const std::vector<std::size_t> order = best_first(methods);
  std::vector<std::vector<std::size_t>> groups;
  auto reached = order.begin();
  for (auto first = order.begin(); first != order.end(); ++first) {
    const auto end = std::find_if(first, order.end(), [&](std::size_t method) {
      return methods[method].mean - methods[*first].mean >= difference;
    });
    if (end > reached) groups.emplace_back(first, end);
    reached = end;
  }
  return groups;
}

struct MeanInterval {
  double lower = std::numeric_limits<double>::quiet_NaN();
  double upper = std::numeric_limits<double>::quiet_NaN();
};

/// The means of resamples of `values`, drawn with replacement.
std::vector<double> resampled_means(std::span<const double> values) {
  numeric::RandomStream stream(kResamplingSeed, numeric::Purpose::bootstrap);
  std::vector<double> means(kResamples);
  for (double& resampled : means) {
    for (std::size_t i = 0; i < values.size(); ++i) {
      resampled += values[stream.below(values.size())];
    }
    resampled /= static_cast<double>(values.size());
  }
  return means;
}

/// z_0 of the BCa interval: the normal quantile of the fraction of resampled means below the mean,
/// which is 0. Resamples that repeat the sample have that mean up to rounding; half of them count
/// as below. One more resample, half below, keeps the fraction inside (0, 1).
double median_bias(std::span<const double> means) {
  constexpr double kRounding = 1e-12;
  double below = 0.5;
  for (const double resampled : means) {
    if (resampled < -kRounding) {
      below += 1.0;
    } else if (resampled <= kRounding) {
      below += 0.5;
    }
  }
  return numeric::normal_quantile(below / static_cast<double>(means.size() + 1));
}

/// a of the BCa interval of a mean, from the deviations d: sum d^3 / (6 (sum d^2)^(3/2)).
double skewness_correction(std::span<const double> deviations) {
  double squares = 0.0;
  double cubes = 0.0;
  for (const double deviation : deviations) {
    squares += squared(deviation);
    cubes += deviation * squared(deviation);
  }
  return cubes / (6.0 * squares * std::sqrt(squares));
}

/// The bootstrap interval of a mean that is 0, from deviations of which the largest is 1: BCa (bias
/// corrected and accelerated, Efron 1987), between the quantiles
///
///   Phi(z_0 + (z_0 + z) / (1 - a (z_0 + z)))
///
/// of the resampled means. With z = -+1.96 this is too short for few values, as is the percentile
/// interval: resampled means have the sd of a sample with divisor n, and 1.96 takes that for known.
/// Hence z = -+t sqrt(n / (n - 1)) with Student's quantile t (the expanded levels of Hesterberg
/// 2015). Coverage of 95 % intervals in 20,000 samples of 20 values:
///
///                 percentile    BCa    expanded percentile   expanded BCa   Student's t
///   normal           92.8 %    92.8 %        95.0 %             94.9 %        95.1 %
///   exponential      90.4 %    91.2 %        92.5 %             93.4 %        91.9 %
///
/// As |a| <= (n - 2) / (6 sqrt(n (n - 1))), a z stays below 0.36 for every n: nothing diverges.
MeanInterval bootstrap_interval(std::span<const double> deviations) {
  const auto n = static_cast<double>(deviations.size());
  const std::vector<double> means = resampled_means(deviations);
  const double bias = median_bias(means);
  const double acceleration = skewness_correction(deviations);
  const auto end_at = [&](double z) {
    const double shifted = bias + z;
    const double level = numeric::normal_cdf(bias + shifted / (1.0 - acceleration * shifted));
    return numeric::linear_quantile(means, level).of(means);
  };
  const boost::math::students_t student(n - 1.0);
  const double reach =
      boost::math::quantile(student, 0.5 * (1.0 + kConfidence)) * std::sqrt(n / (n - 1.0));
  return {.lower = end_at(-reach), .upper = end_at(reach)};
}

/// The interval of the mean of `values`, whose mean is `centre`.
MeanInterval interval_of_mean(std::span<const double> values, double centre) {
  if (values.size() < 2) return {};
  std::vector<double> deviations(values.begin(), values.end());
  double largest = 0.0;
  for (double& value : deviations) {
    value -= centre;
    largest = std::max(largest, std::abs(value));
  }
  if (largest == 0.0) return {.lower = centre, .upper = centre};
  // In units of the largest no power of a deviation overflows, nor do all of them underflow.
  for (double& value : deviations) value /= largest;
  const MeanInterval interval = bootstrap_interval(deviations);
  return {.lower = centre + largest * interval.lower, .upper = centre + largest * interval.upper};
}

/// The mean, which for equal values is exactly that value.
double exact_mean(std::span<const double> values) {
  const bool differ = std::ranges::adjacent_find(values, std::not_equal_to{}) != values.end();
  return differ || values.empty() ? mean(values) : values.front();
}

}  // namespace

std::vector<RankSummary> summarise_ranks(const ScoreTable& scores) {
  check_complete(scores);
  std::vector<RankSummary> summaries(method_count(scores));
  for (const std::vector<double>& task : scores) {
    const std::vector<double> within_task = ranks(task);
    for (std::size_t method = 0; method < within_task.size(); ++method) {
      summaries[method].ranks.push_back(within_task[method]);
    }
  }
  for (RankSummary& summary : summaries) {
    summary.mean = mean(summary.ranks);
    summary.error = standard_error(summary.ranks);
  }
  return summaries;
}

std::vector<std::size_t> best_first(std::span<const RankSummary> methods) {
  std::vector<std::size_t> order(methods.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, {}, [&](std::size_t method) { return methods[method].mean; });
  return order;
}

CriticalDifference critical_difference(const ScoreTable& scores) {
  const std::vector<RankSummary> methods = summarise_ranks(scores);
  if (methods.size() < 2 || scores.size() < 2) {
    refuse_scores(fmt::format("{} methods on {} tasks; at least 2 of each are needed",
                              methods.size(), scores.size()));
  }
  const double statistic = friedman_statistic(methods);
  const boost::math::chi_squared law(static_cast<double>(methods.size() - 1));
  const double difference = nemenyi_difference(methods.size(), scores.size());
  return {.statistic = statistic,
          .p_value = boost::math::cdf(boost::math::complement(law, statistic)),
          .difference = difference,
          .groups = close_groups(methods, difference)};
}

PairedComparison compare_paired(std::span<const double> method, std::span<const double> reference) {
  if (method.size() != reference.size()) {
    throw Error(ErrorCode::invalid_value, "reference",
                fmt::format("{} values for {} of the method", reference.size(), method.size()));
  }
  std::vector<double> differences(method.size());
  std::ranges::transform(method, reference, differences.begin(), std::minus{});
  const double centre = exact_mean(differences);
  const MeanInterval interval = interval_of_mean(differences, centre);
  const auto count_if = [&](auto condition) {
    return static_cast<std::size_t>(std::ranges::count_if(differences, condition));
  };
  return {.pairs = differences.size(),
          .mean = centre,
          .lower = interval.lower,
          .upper = interval.upper,
          .wins = count_if([](double difference) { return difference < 0.0; }),
          .losses = count_if([](double difference) { return difference > 0.0; })};
}

double normalised_regret(double regret, double initial_regret) {
  return initial_regret > 0.0 ? regret / initial_regret : std::numeric_limits<double>::quiet_NaN();
}

double normalised_cumulative_regret(double regret, int steps, double initial_regret) {
  if (steps <= 0) return std::numeric_limits<double>::quiet_NaN();
  return normalised_regret(regret / steps, initial_regret);
}

}  // namespace oscbo::experiment
