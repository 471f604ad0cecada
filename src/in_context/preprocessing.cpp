#include "in_context/preprocessing.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include <boost/math/tools/minima.hpp>

namespace oscbo::in_context {
namespace {

constexpr double kScaleFloor = 1e-6;
constexpr double kMostStandardised = 100.0;
constexpr double kClipWidth = 4.0;  // standard deviations
constexpr double kLargestExponent = 12.0;

/// Returns the mean. The second pass removes most of the rounding error of the first, which matters
/// for values that differ little.
double mean_of(std::span<const double> x) {
  const auto n = static_cast<double>(x.size());
  double sum = 0.0;
  for (const double value : x) sum += value;
  const double mean = sum / n;
  double rest = 0.0;
  for (const double value : x) rest += value - mean;
  return mean + rest / n;
}

/// Returns the sum of (x - mean)^2.
double squares_about(std::span<const double> x, double mean) {
  double sum = 0.0;
  for (const double value : x) sum += (value - mean) * (value - mean);
  return sum;
}

/// Returns the standard deviation with divisor n.
double population_sd(std::span<const double> x, double mean) {
  return std::sqrt(squares_about(x, mean) / static_cast<double>(x.size()));
}

/// Returns the standard deviation with divisor n - 1, or n if n = 1; at least kScaleFloor.
double sample_sd(std::span<const double> x, double mean) {
  const auto divisor = static_cast<double>(std::max<std::size_t>(x.size(), 2) - 1);
  return std::max(kScaleFloor, std::sqrt(squares_about(x, mean) / divisor));
}

/// Returns ((1 + x)^p - 1) / p for x >= 0.
double power(double x, double p) {
  const double logarithm = std::log1p(x);
  return p == 0.0 ? logarithm : std::expm1(p * logarithm) / p;
}

double log_likelihood(std::span<const double> x, double exponent, double logarithms) {
  std::vector<double> powers(x.size());
  std::transform(x.begin(), x.end(), powers.begin(),
                 [exponent](double value) { return yeo_johnson(value, exponent); });
  const auto n = static_cast<double>(x.size());
  const double variance = squares_about(powers, mean_of(powers)) / n;
  return -0.5 * n * std::log(variance) + (exponent - 1.0) * logarithms;
}

}  // namespace

double yeo_johnson(double x, double exponent) {
  return x >= 0.0 ? power(x, exponent) : -power(-x, 2.0 - exponent);
}

double yeo_johnson_slope(double x, double exponent) {
  const double sign = x >= 0.0 ? 1.0 : -1.0;
  return std::exp(sign * (exponent - 1.0) * std::log1p(std::abs(x)));
}

double likeliest_exponent(std::span<const double> x) {
  if (squares_about(x, mean_of(x)) <= 0.0) return 1.0;
  double logarithms = 0.0;
  for (const double value : x) logarithms += std::copysign(std::log1p(std::abs(value)), value);
  constexpr int kBits = std::numeric_limits<double>::digits / 2;
  return boost::math::tools::brent_find_minima(
             [&](double exponent) { return -log_likelihood(x, exponent, logarithms); },
             -kLargestExponent, kLargestExponent, kBits)
      .first;
}

FeatureScale::FeatureScale(std::span<const double> x, Normalisation normalisation)
    : normalisation_(normalisation),
      mean_(mean_of(x)),
      scale_(population_sd(x, mean_) + kScaleFloor) {
  std::vector<double> z(x.size());
  if (normalisation_ == Normalisation::power) {
    std::transform(x.begin(), x.end(), z.begin(), [this](double value) {
      return std::clamp((value - mean_) / scale_, -kMostStandardised, kMostStandardised);
    });
    exponent_ = likeliest_exponent(z);
    for (double& value : z) value = yeo_johnson(value, exponent_);
    power_mean_ = mean_of(z);
    const double sd = population_sd(z, power_mean_);
    power_scale_ = sd > 0.0 ? sd : 1.0;
  }
  std::transform(x.begin(), x.end(), z.begin(),
                 [this](double value) { return before_clip(value).x; });
  const double mean = mean_of(z);
  const double sd = sample_sd(z, mean);
  std::erase_if(z, [&](double value) { return std::abs(value - mean) > kClipWidth * sd; });
  const double inner_mean = mean_of(z);
  const double inner_sd = sample_sd(z, inner_mean);
  lower_ = inner_mean - kClipWidth * inner_sd;
  upper_ = inner_mean + kClipWidth * inner_sd;
}

FeatureScale::FeatureScale(const FeatureRange& range)
    : mean_(0.5 * (range.lower + range.upper)),
      scale_((range.upper - range.lower) / std::sqrt(12.0)),
      lower_(-std::numeric_limits<double>::infinity()),
      upper_(std::numeric_limits<double>::infinity()) {}

double FeatureScale::apply(double x) const { return clipped(before_clip(x)).x; }

double FeatureScale::slope(double x) const { return clipped(before_clip(x)).slope; }

FeatureScale::Value FeatureScale::before_clip(double x) const {
  const double standardised = (x - mean_) / scale_;
  const double z = std::clamp(standardised, -kMostStandardised, kMostStandardised);
  const double slope = z == standardised ? 1.0 / scale_ : 0.0;
  if (normalisation_ == Normalisation::none) return {.x = z, .slope = slope};
  return {.x = (yeo_johnson(z, exponent_) - power_mean_) / power_scale_,
          .slope = slope * yeo_johnson_slope(z, exponent_) / power_scale_};
}

// max(x, L - ln(1 + |x|)), then min(x, U + ln(1 + |x|)).
FeatureScale::Value FeatureScale::clipped(Value value) const {
  const auto log_slope = [](double x) { return std::copysign(1.0, x) / (1.0 + std::abs(x)); };
  const double low = lower_ - std::log1p(std::abs(value.x));
  if (value.x < low) value = {.x = low, .slope = -value.slope * log_slope(value.x)};
  const double high = upper_ + std::log1p(std::abs(value.x));
  if (value.x > high) value = {.x = high, .slope = value.slope * log_slope(value.x)};
  return value;
}

std::vector<Index> varying_columns(const Rows<double>& X) {
  std::vector<Index> columns;
  for (Index j = 0; j < X.columns(); ++j) {
    bool varies = X.rows() == 1;
    for (Index i = 1; i < X.rows() && !varies; ++i) varies = X(i, j) != X(0, j);
    if (varies) columns.push_back(j);
  }
  if (columns.empty()) columns.push_back(0);
  return columns;
}

TargetScale::TargetScale(std::span<const double> y, bool rounds_first)
    : rounds_first_(rounds_first) {
  std::vector<double> values(y.size());
  std::transform(y.begin(), y.end(), values.begin(),
                 [this](double value) { return rounded(value); });
  mean_ = mean_of(values);
  const double sd = population_sd(values, mean_);
  // Values that are equal but for rounding have no scale.
  scale_ = sd > 1e-12 * std::abs(mean_) ? sd : 1.0;
}

float TargetScale::standardised(double y) const {
  return static_cast<float>((rounded(y) - mean_) / scale_);
}

double TargetScale::rounded(double y) const {
  return rounds_first_ ? static_cast<double>(static_cast<float>(y)) : y;
}

}  // namespace oscbo::in_context
