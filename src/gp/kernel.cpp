#include "gp/kernel.hpp"

#include <numbers>

namespace oscbo::gp {
namespace {

using numeric::kLanes;

/// A packet of numbers at a time: Eigen vectorises exp and sqrt of this type in full.
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

}  // namespace

void evaluate_with_slope(KernelShape shape, double* distances, double* slope, Index count) {
  switch (shape) {
    case KernelShape::matern12: return evaluate_all<Matern12>(distances, slope, count);
    case KernelShape::matern32: return evaluate_all<Matern32>(distances, slope, count);
    case KernelShape::matern52: return evaluate_all<Matern52>(distances, slope, count);
    case KernelShape::rbf: return evaluate_all<Rbf>(distances, slope, count);
  }
}

void evaluate(KernelShape shape, double* distances, Index count) {
  evaluate_with_slope(shape, distances, nullptr, count);
}

void take_roots(double* squares, Index count) {
  for (Index i = 0; i < count; i += kLanes) {
    Eigen::Map<Lanes, Eigen::AlignedMax> value(squares + i);
    value = value.sqrt();
  }
}

}  // namespace oscbo::gp
