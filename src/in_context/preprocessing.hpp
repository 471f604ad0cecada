// Scales features and targets before the network sees them, as the scikit-learn wrapper of TabICL
// does. All statistics are taken over the context.
#pragma once

#include <span>
#include <vector>

#include "in_context/rows.hpp"

namespace oscbo::in_context {

enum class Normalisation {
  none,   // standardise, then clip softly
  power,  // standardise, make normal by a Yeo-Johnson power, standardise again, then clip softly
};

/// yeo_johnson returns, for l = exponent,
///   x >= 0:  ((x + 1)^l - 1) / l                  ln(x + 1) for l = 0
///   x < 0:  -((1 - x)^(2 - l) - 1) / (2 - l)      -ln(1 - x) for l = 2
[[nodiscard]] double yeo_johnson(double x, double exponent);
[[nodiscard]] double yeo_johnson_slope(double x, double exponent);

/// likeliest_exponent returns the exponent l in [-12, 12] that maximises the normal log-likelihood
/// of the n values x:
///   -n/2 ln var(yeo_johnson(x, l)) + (l - 1) sum sign(x) ln(1 + |x|).
[[nodiscard]] double likeliest_exponent(std::span<const double> x);

/// The values that a feature may take. lower < upper.
struct FeatureRange {
  double lower = 0.0;
  double upper = 1.0;
};

/// The scale of one feature.
class FeatureScale {
 public:
  /// `x` are the values in the context, at least one.
  FeatureScale(std::span<const double> x, Normalisation normalisation);

  /// Maps the range to [-sqrt(3), sqrt(3)], so that uniform values have mean 0 and variance 1. The
  /// values in the context play no part, and nothing is clipped.
  explicit FeatureScale(const FeatureRange& range);

  [[nodiscard]] double apply(double x) const;
  [[nodiscard]] double slope(double x) const;  // the derivative of apply

  [[nodiscard]] double exponent() const { return exponent_; }
  [[nodiscard]] double lower() const { return lower_; }  // where the soft clip begins
  [[nodiscard]] double upper() const { return upper_; }

 private:
  struct Value {
    double x;
    double slope;
  };
  [[nodiscard]] Value before_clip(double x) const;
  [[nodiscard]] Value clipped(Value value) const;

  Normalisation normalisation_ = Normalisation::none;
  double mean_;
  double scale_;
  double exponent_ = 1.0;
  double power_mean_ = 0.0;
  double power_scale_ = 1.0;
  double lower_ = 0.0;
  double upper_ = 0.0;
};

/// varying_columns returns the columns of X that have more than one value, or all columns if X has
/// one row. If no column varies, it returns the first.
[[nodiscard]] std::vector<Index> varying_columns(const Rows<double>& X);

/// The location and scale of the target. TabICL rounds the target to single precision first. Values
/// that differ by less than 1e-7 of their size then look equal.
class TargetScale {
 public:
  TargetScale(std::span<const double> y, bool rounds_first);

  [[nodiscard]] double mean() const { return mean_; }
  [[nodiscard]] double scale() const { return scale_; }
  [[nodiscard]] float standardised(double y) const;

 private:
  [[nodiscard]] double rounded(double y) const;

  bool rounds_first_;
  double mean_;
  double scale_;
};

}  // namespace oscbo::in_context
