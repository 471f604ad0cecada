#include "gp/radial_profile.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "gp/kernel_options.hpp"

namespace oscbo::gp {
namespace {

/// A packet of numbers. Eigen fully vectorises exp and sqrt of this type.
using Lanes = Eigen::Array<double, kLanes, 1>;

struct ValueAndSlope {
  Lanes value;
  Lanes slope;
};

struct Matern12 {
  static ValueAndSlope at(const Lanes& r) {
    constexpr double kKink = 1e-150;
    const Lanes e = (-r).exp();
    return {.value = e, .slope = e / r.max(kKink)};
  }
};

struct Matern32 {
  static ValueAndSlope at(const Lanes& r) {
    const Lanes s = std::numbers::sqrt3 * r;
    const Lanes e = (-s).exp();
    return {.value = (1.0 + s) * e, .slope = 3.0 * e};
  }
};

struct Matern52 {
  static ValueAndSlope at(const Lanes& r) {
    constexpr double kRoot5 = 2.23606797749978969641;
    const Lanes s = kRoot5 * r;
    const Lanes e = (-s).exp();
    const Lanes linear = (1.0 + s) * e;
    return {.value = linear + (s * s) * (e / 3.0), .slope = (5.0 / 3.0) * linear};
  }
};

struct Rbf {
  static ValueAndSlope at(const Lanes& r) {
    const Lanes e = (-0.5 * r * r).exp();
    return {.value = e, .slope = e};
  }
};

template <class Kernel>
void evaluate_all(double* distances, double* slope, Index count) {
  for (Index i = 0; i < count; i += kLanes) {
    Eigen::Map<Lanes, Eigen::AlignedMax> value(distances + i);
    const ValueAndSlope k = Kernel::at(value);
    value = k.value;
    if (slope != nullptr) Eigen::Map<Lanes, Eigen::AlignedMax>(slope + i) = k.slope;
  }
}

/// Returns an omega for which the trapezoidal rule with step 2 pi / omega integrates the mixture of
/// smoothness nu to double precision. Shifting the path of integration by i a bounds the error by
/// (cos a)^(-nu) exp(-omega a), which is smallest at tan a = omega / nu.
double trapezoidal_frequency(double nu) {
  constexpr double kLogError = -38.0;
  double omega = std::sqrt(nu) + 1.0;
  while (0.5 * nu * std::log1p(omega * omega / (nu * nu)) - omega * std::atan(omega / nu) >
         kLogError) {
    omega *= 1.05;
  }
  return omega;
}

}  // namespace

RadialProfile RadialProfile::matern(double nu) {
  if (nu == 0.5) return RadialProfile(KernelShape::matern12);
  if (nu == 1.5) return RadialProfile(KernelShape::matern32);
  if (nu == 2.5) return RadialProfile(KernelShape::matern52);
  return matern_mixture(nu);
}

// With u = nu e^v the integrand is exp(-nu (e^v - 1 - v)) exp(-e^(-v) r^2 / 2) up to a constant.
// The constant follows from phi(0) = 1.
RadialProfile RadialProfile::matern_mixture(double nu) {
  constexpr double kNegligible = -40.0;  // logarithm of the smallest weight
  constexpr double kFinest = -46.0;      // slopes resolve distances down to e^(v/2) = 1e-10
  constexpr double kSmallest = -230.0;   // distances up to e^(v/2) = 1e-50 count as 0
  const double step = 2.0 * std::numbers::pi / trapezoidal_frequency(nu);
  const auto log_weight = [nu](double v) { return -nu * (std::expm1(v) - v); };
  RadialProfile profile(KernelShape::rbf);
  double total = 0.0;
  Component at_zero{.weight = 0.0, .rate = std::exp(-kSmallest)};
  const auto add = [&](double v) {
    const double weight = std::exp(log_weight(v));
    total += weight;
    if (v < kSmallest) {
      at_zero.weight += weight;
    } else {
      profile.mixture_.push_back({.weight = weight, .rate = std::exp(-v)});
    }
  };
  const auto matters_for_slope = [&](double v) {
    return v > kFinest && log_weight(v) - v > kNegligible;
  };
  for (double v = 0.0; log_weight(v) > kNegligible; v += step) add(v);
  for (double v = -step; log_weight(v) > kNegligible || matters_for_slope(v); v -= step) add(v);
  if (at_zero.weight > 0.0) profile.mixture_.push_back(at_zero);
  for (Component& component : profile.mixture_) component.weight /= total;
  std::sort(profile.mixture_.begin(), profile.mixture_.end(),
            [](const Component& a, const Component& b) { return a.rate < b.rate; });
  return profile;
}

void RadialProfile::evaluate(double* distances, double* slope, Index count) const {
  if (!mixture_.empty()) return evaluate_mixture(distances, slope, count);
  switch (shape_) {
    case KernelShape::matern12: return evaluate_all<Matern12>(distances, slope, count);
    case KernelShape::matern32: return evaluate_all<Matern32>(distances, slope, count);
    case KernelShape::matern52: return evaluate_all<Matern52>(distances, slope, count);
    case KernelShape::rbf: return evaluate_all<Rbf>(distances, slope, count);
  }
}

void RadialProfile::evaluate_mixture(double* distances, double* slope, Index count) const {
  // Below this exponent x, e^x is negligible even when multiplied by the rate of the component.
  constexpr double kVanished = -120.0;
  for (Index i = 0; i < count; i += kLanes) {
    Eigen::Map<Lanes, Eigen::AlignedMax> value(distances + i);
    const Lanes exponent = -0.5 * value * value;
    const double nearest = exponent.maxCoeff();
    Lanes sum = Lanes::Zero();
    Lanes slope_sum = Lanes::Zero();
    for (const Component& component : mixture_) {
      if (component.rate * nearest < kVanished) break;  // the faster ones vanish too
      const Lanes scaled = component.rate * exponent;
      const Lanes part =
          (scaled < kVanished).select(0.0, component.weight * scaled.max(kVanished).exp());
      sum += part;
      slope_sum += component.rate * part;
    }
    value = sum;
    if (slope != nullptr) Eigen::Map<Lanes, Eigen::AlignedMax>(slope + i) = slope_sum;
  }
}

RadialProfile make_profile(const KernelOptions& config) {
  return config.family == KernelOptions::Family::rbf ? RadialProfile(KernelShape::rbf)
                                                     : RadialProfile::matern(config.nu);
}

void take_roots(double* squares, Index count) {
  for (Index i = 0; i < count; i += kLanes) {
    Eigen::Map<Lanes, Eigen::AlignedMax> value(squares + i);
    value = value.sqrt();
  }
}

}  // namespace oscbo::gp
