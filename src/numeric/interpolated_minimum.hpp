// Minimisation of an expensive smooth function of one variable whose value is already known at some
// places. For its next point, Brent's method takes the minimum of a parabola. This search takes the
// minimum of a polynomial of higher degree, which interpolates the samples nearest to the lowest
// one.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <limits>
#include <utility>
#include <vector>

#include <boost/math/tools/minima.hpp>

namespace oscbo::numeric {

struct Sample {
  double at;
  double value;
};

/// The interpolating polynomial of samples at distinct places, in Newton's form.
class Interpolant {
 public:
  static constexpr std::size_t kMostSamples = 5;

  void add(const Sample& sample) {
    double difference = sample.value;
    for (std::size_t i = 0; i < count_; ++i) {
      difference = (difference - coefficients_[i]) / (sample.at - nodes_[i]);
    }
    nodes_[count_] = sample.at;
    coefficients_[count_] = difference;
    ++count_;
  }

  [[nodiscard]] double operator()(double x) const {
    double value = 0.0;
    for (std::size_t i = count_; i-- > 0;) value = value * (x - nodes_[i]) + coefficients_[i];
    return value;
  }

 private:
  std::array<double, kMostSamples> nodes_{};
  std::array<double, kMostSamples> coefficients_{};
  std::size_t count_ = 0;
};

/// Holds samples sorted by place, and searches for a minimum between the neighbours of the lowest
/// sample.
class InterpolatedMinimum {
 public:
  /// Requires at least two samples, sorted by place. `lowest` is the index of the lowest one.
  InterpolatedMinimum(std::vector<Sample> samples, std::size_t lowest)
      : samples_(std::move(samples)), lowest_(lowest) {}

  /// find evaluates the function at further places, at most 40, and returns the lowest sample. It
  /// stops early if the minimum of the polynomial is less than `tolerance` from the lowest sample,
  /// or if the two neighbours of that sample are at most 2 `tolerance` apart.
  template <class Function>
  Sample find(Function&& function, double tolerance) {
    constexpr int kMostEvaluations = 40;
    double step = std::numeric_limits<double>::infinity();  // the last step
    double earlier_step = step;                             // the step before it
    for (int i = 0; i < kMostEvaluations && right() - left() > 2.0 * tolerance; ++i) {
      double next = minimum_of_interpolant();
      if (std::abs(next - at()) < tolerance) break;
      // The polynomial fits badly if a step is more than half as long as the step before the last
      // one.
      const bool fits = std::abs(next - at()) < 0.5 * earlier_step;
      if (!fits || std::min(next - left(), right() - next) < tolerance)
        next = middle_of_wider_side();
      earlier_step = std::exchange(step, std::abs(next - at()));
      insert({.at = next, .value = function(next)});
    }
    return samples_[lowest_];
  }

 private:
  [[nodiscard]] double at() const { return samples_[lowest_].at; }
  [[nodiscard]] double left() const { return samples_[lowest_ == 0 ? 0 : lowest_ - 1].at; }
  [[nodiscard]] double right() const {
    return samples_[std::min(lowest_ + 1, samples_.size() - 1)].at;
  }

  [[nodiscard]] double middle_of_wider_side() const {
    return at() - left() > right() - at() ? 0.5 * (left() + at()) : 0.5 * (right() + at());
  }

  [[nodiscard]] double minimum_of_interpolant() const {
    constexpr int kBits = 30;
    std::vector<Sample> nearest;
    for (const Sample& sample : samples_) {
      if (std::isfinite(sample.value)) nearest.push_back(sample);
    }
    if (nearest.size() < 3) return middle_of_wider_side();
    std::sort(nearest.begin(), nearest.end(), [this](const Sample& a, const Sample& b) {
      return std::abs(a.at - at()) < std::abs(b.at - at());
    });
    Interpolant interpolant;
    for (std::size_t i = 0; i < std::min(nearest.size(), Interpolant::kMostSamples); ++i) {
      interpolant.add(nearest[i]);
    }
    return boost::math::tools::brent_find_minima(interpolant, left(), right(), kBits).first;
  }

  void insert(const Sample& sample) {
    const auto place =
        std::upper_bound(samples_.begin(), samples_.end(), sample,
                         [](const Sample& a, const Sample& b) { return a.at < b.at; });
    const auto index = static_cast<std::size_t>(place - samples_.begin());
    samples_.insert(place, sample);
    if (index <= lowest_) ++lowest_;
    if (sample.value < samples_[lowest_].value) lowest_ = index;
  }

  std::vector<Sample> samples_;
  std::size_t lowest_;
};

}  // namespace oscbo::numeric
