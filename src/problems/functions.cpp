#include "problems/functions.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <numbers>
#include <numeric>

#include <boost/math/tools/toms748_solve.hpp>

namespace oscbo::functions {
namespace {

constexpr double kPi = std::numbers::pi;

constexpr double square(double value) { return value * value; }

template <std::size_t D>
struct HartmannPeak {
  double height;
  std::array<double, D> steepness;
  std::array<double, D> center;
};

template <std::size_t D>
double hartmann(Point x, const std::array<HartmannPeak<D>, 4>& peaks) {
  double value = 0.0;
  for (const HartmannPeak<D>& peak : peaks) {
    double exponent = 0.0;
    for (std::size_t j = 0; j < D; ++j) {
      exponent -= peak.steepness[j] * square(x[j] - peak.center[j]);
    }
    value += peak.height * std::exp(exponent);
  }
  return value;
}

constexpr std::array<HartmannPeak<3>, 4> kHartmann3 = {{
    {1.0, {3.0, 10.0, 30.0}, {0.3689, 0.1170, 0.2673}},
    {1.2, {0.1, 10.0, 35.0}, {0.4699, 0.4387, 0.7470}},
    {3.0, {3.0, 10.0, 30.0}, {0.1091, 0.8732, 0.5547}},
    {3.2, {0.1, 10.0, 35.0}, {0.0381, 0.5743, 0.8828}},
}};

constexpr std::array<HartmannPeak<6>, 4> kHartmann6 = {{
    {1.0, {10.0, 3.0, 17.0, 3.5, 1.7, 8.0}, {0.1312, 0.1696, 0.5569, 0.0124, 0.8283, 0.5886}},
    {1.2, {0.05, 10.0, 17.0, 0.1, 8.0, 14.0}, {0.2329, 0.4135, 0.8307, 0.3736, 0.1004, 0.9991}},
    {3.0, {3.0, 3.5, 1.7, 10.0, 17.0, 8.0}, {0.2348, 0.1451, 0.3522, 0.2883, 0.3047, 0.6650}},
    {3.2, {17.0, 8.0, 0.05, 10.0, 0.1, 14.0}, {0.4047, 0.8828, 0.8732, 0.5743, 0.1091, 0.0381}},
}};

constexpr double kMichalewiczPower = 20.0;  // 2 m with the usual m = 10

double michalewicz_term(double index, double x) {
  return std::sin(x) * std::pow(std::sin(index * x * x / kPi), kMichalewiczPower);
}

/// Returns the maximiser of sin(x) sin^20(g) with g = i x^2 / pi on hump k, where (k-1) pi <= g <=
/// k pi. The logarithm is concave there, so the slope has one zero. It lies between the top of
/// sin^20, where only sin(x) rises towards pi/2, and pi/2 or the end of the hump on that side.
/// Without the factors that do not vanish in between, the slope is cos(x) sin(g) + 20 g' sin(x)
/// cos(g).
double michalewicz_hump_maximiser(double index, double hump) {
  const double top = kPi * std::sqrt((hump - 0.5) / index);
  const double towards_middle =
      std::clamp(kPi / 2.0, kPi * std::sqrt((hump - 1.0) / index), kPi * std::sqrt(hump / index));
  if (top == towards_middle) {
    return top;
  }
  const auto slope = [index](double x) {
    const double angle = index * x * x / kPi;
    return std::cos(x) * std::sin(angle) +
           kMichalewiczPower * (2.0 * index * x / kPi) * std::sin(x) * std::cos(angle);
  };
  const auto [lower, upper] = std::minmax(top, towards_middle);
  std::uintmax_t evaluations = 200;
  const auto bracket = boost::math::tools::toms748_solve(
      slope, lower, upper, boost::math::tools::eps_tolerance<double>(), evaluations);
  return std::midpoint(bracket.first, bracket.second);
}

/// Returns the maximiser of the i-th term on [0, pi]. It is on the hump around pi/2 or on one of
/// its neighbours. A hump further out is below sin(x) there, and thus below the top of the hump
/// between it and pi/2.
double michalewicz_maximiser(double index) {
  const double middle = std::floor(index / 4.0) + 1.0;
  double best = michalewicz_hump_maximiser(index, middle);
  for (const double hump : {middle - 1.0, middle + 1.0}) {
    if (hump < 1.0 || hump > index) {
      continue;
    }
    const double candidate = michalewicz_hump_maximiser(index, hump);
    if (michalewicz_term(index, candidate) > michalewicz_term(index, best)) {
      best = candidate;
    }
  }
  return best;
}

}  // namespace

double hartmann3(Point x) { return hartmann(x, kHartmann3); }

double hartmann6(Point x) { return hartmann(x, kHartmann6); }

// Both optima were computed by Newton's method on the gradient in 50-digit arithmetic and rounded
// to double.
Optimum hartmann3_optimum(std::size_t /*dimension*/) {
  return {3.8627797873326625, {0.11458887665506897, 0.55564889461693004, 0.85254698468667744}};
}

Optimum hartmann6_optimum(std::size_t /*dimension*/) {
  return {3.3223680114155148,
          {0.20168951100670542, 0.15001069182345797, 0.47687397422189699, 0.27533243049405607,
           0.31165161660011324, 0.65730053406562031}};
}

double branin(Point x) {
  const double ridge = x[1] - 5.1 / (4.0 * kPi * kPi) * square(x[0]) + 5.0 / kPi * x[0] - 6.0;
  return -square(ridge) - 10.0 * (1.0 - 1.0 / (8.0 * kPi)) * std::cos(x[0]) - 10.0;
}

// At x_1 = pi the square vanishes for x_2 = 1.275 - 5 + 6 and the cosine is -1, which leaves -10 /
// (8 pi). (-pi, 12.275) and (3 pi, 2.475) have the same value.
Optimum branin_optimum(std::size_t /*dimension*/) { return {-5.0 / (4.0 * kPi), {kPi, 2.275}}; }

// With u = w - 1 the sines become sin(pi u), -sin(pi u + 1) and sin(2 pi u). The value is then
// exactly 0 at the optimum.
double levy(Point x) {
  const auto shifted = [x](std::size_t i) { return (x[i] - 1.0) / 4.0; };
  const std::size_t last = x.size() - 1;
  double value = 0.0;
  value -= square(std::sin(kPi * shifted(0)));
  for (std::size_t i = 0; i < last; ++i) {
    const double u = shifted(i);
    value -= square(u) * (1.0 + 10.0 * square(std::sin(kPi * u + 1.0)));
  }
  const double u = shifted(last);
  value -= square(u) * (1.0 + square(std::sin(2.0 * kPi * u)));
  return value;
}

Optimum levy_optimum(std::size_t dimension) { return {0.0, std::vector<double>(dimension, 1.0)}; }

// expm1(a) replaces exp(a) - 1, and -2 sin^2(a) replaces cos(2 a) - 1. Both differences are 0 at
// the origin and would cancel close to it.
double ackley(Point x) {
  const auto dimension = static_cast<double>(x.size());
  double squares = 0.0;
  double sines = 0.0;
  for (const double coordinate : x) {
    squares += square(coordinate);
    sines += square(std::sin(kPi * coordinate));
  }
  double value = 0.0;
  value += 20.0 * std::expm1(-0.2 * std::sqrt(squares / dimension));
  value += std::numbers::e * std::expm1(-2.0 * sines / dimension);
  return value;
}

Optimum ackley_optimum(std::size_t dimension) { return {0.0, std::vector<double>(dimension, 0.0)}; }

double rosenbrock(Point x) {
  double value = 0.0;
  for (std::size_t i = 0; i + 1 < x.size(); ++i) {
    value -= 100.0 * square(x[i + 1] - square(x[i])) + square(1.0 - x[i]);
  }
  return value;
}

Optimum rosenbrock_optimum(std::size_t dimension) {
  return {0.0, std::vector<double>(dimension, 1.0)};
}

double michalewicz(Point x) {
  double value = 0.0;
  double index = 0.0;
  for (const double coordinate : x) {
    index += 1.0;
    value += michalewicz_term(index, coordinate);
  }
  return value;
}

Optimum michalewicz_optimum(std::size_t dimension) {
  Optimum optimum;
  for (std::size_t i = 1; i <= dimension; ++i) {
    optimum.maximiser.push_back(michalewicz_maximiser(static_cast<double>(i)));
  }
  optimum.maximum = michalewicz(optimum.maximiser);
  return optimum;
}

double styblinski_tang(Point x) {
  double value = 0.0;
  for (const double coordinate : x) {
    const double s = square(coordinate);
    value -= (s * (s - 16.0) + 5.0 * coordinate) / 2.0;
  }
  return value;
}

// The smallest root of the slope 4 x^3 - 32 x + 5 and the value there, computed in 50-digit
// arithmetic and rounded to double.
Optimum styblinski_tang_optimum(std::size_t dimension) {
  return {39.166165703771415 * static_cast<double>(dimension),
          std::vector<double>(dimension, -2.9035340277711771)};
}

}  // namespace oscbo::functions
