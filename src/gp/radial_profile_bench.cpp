// Compares two evaluations of the Matern-5/2 kernel: one entry at a time and eight at a time. For a
// smoothness without closed form, it compares the mixture of RBF kernels with the Bessel function.
// The candidates take turns, so that a busy machine slows both equally.
#include "gp/radial_profile.hpp"

#include <chrono>
#include <cmath>

#include <benchmark/benchmark.h>
#include <boost/math/special_functions/bessel.hpp>
#include <boost/math/special_functions/gamma.hpp>

namespace oscbo::gp {
namespace {

using Clock = std::chrono::steady_clock;

/// Typical distances between points of a cube, in units of the lengthscale.
Vector spread_distances() { return Vector::LinSpaced(1024, 0.01, 4.0); }

double bessel_phi(double nu, double r) {
  const double s = std::sqrt(2.0 * nu) * r;
  return std::pow(2.0, 1.0 - nu) / boost::math::tgamma(nu) * std::pow(s, nu) *
         boost::math::cyl_bessel_k(nu, s);
}

void matern(benchmark::State& state) {
  const double nu = static_cast<double>(state.range(0)) / 10.0;
  const RadialProfile profile = RadialProfile::matern_mixture(nu);
  const Vector distances = spread_distances();
  double mixture_seconds = 0.0;
  double bessel_seconds = 0.0;
  for (auto _ : state) {
    Vector values = distances;
    const Clock::time_point start = Clock::now();
    profile.evaluate(values.data(), nullptr, values.size());
    const Clock::time_point middle = Clock::now();
    benchmark::DoNotOptimize(values);
    for (double& value : values) value = bessel_phi(nu, value);
    const Clock::time_point end = Clock::now();
    benchmark::DoNotOptimize(values);
    mixture_seconds += std::chrono::duration<double>(middle - start).count();
    bessel_seconds += std::chrono::duration<double>(end - middle).count();
  }
  const double evaluations =
      static_cast<double>(state.iterations()) * static_cast<double>(distances.size());
  state.counters["mixture_ns"] = 1e9 * mixture_seconds / evaluations;
  state.counters["bessel_ns"] = 1e9 * bessel_seconds / evaluations;
  state.counters["speedup"] = bessel_seconds / mixture_seconds;
}
BENCHMARK(matern)->Arg(8)->Arg(22)->Arg(70);

double closed_form(double r) {
  const double s = std::sqrt(5.0) * r;
  return (1.0 + s + s * s / 3.0) * std::exp(-s);
}

void matern52(benchmark::State& state) {
  const RadialProfile profile(KernelShape::matern52);
  const Vector distances = spread_distances();
  Vector slopes(distances.size());
  double ours = 0.0;
  double with_slopes = 0.0;
  double one_by_one = 0.0;
  const auto seconds_of = [](auto&& work) {
    const Clock::time_point start = Clock::now();
    work();
    return std::chrono::duration<double>(Clock::now() - start).count();
  };
  for (auto _ : state) {
    Vector values = distances;
    ours += seconds_of([&] { profile.evaluate(values.data(), nullptr, values.size()); });
    benchmark::DoNotOptimize(values);
    values = distances;
    with_slopes +=
        seconds_of([&] { profile.evaluate(values.data(), slopes.data(), values.size()); });
    benchmark::DoNotOptimize(values);
    values = distances;
    one_by_one += seconds_of([&] {
      for (double& value : values) value = closed_form(value);
    });
    benchmark::DoNotOptimize(values);
  }
  const double evaluations =
      static_cast<double>(state.iterations()) * static_cast<double>(distances.size());
  state.counters["oscbo_ns"] = 1e9 * ours / evaluations;
  state.counters["with_slope_ns"] = 1e9 * with_slopes / evaluations;
  state.counters["one_by_one_ns"] = 1e9 * one_by_one / evaluations;
  state.counters["speedup"] = one_by_one / ours;
}
BENCHMARK(matern52);

}  // namespace
}  // namespace oscbo::gp
