// Simulates a quarter car that drives over a bump: how much the body shakes and how far the
// suspension travels. Prints {"value": rms acceleration in m/s^2, "metrics": {"travel": m}}.
//
//   suspension SPRING DAMPING DAMPER [REBOUND]
//
//   SPRING   stiffness of the spring, N/m
//   DAMPING  damping coefficient of the damper, N s/m
//   DAMPER   linear, or two-stage: REBOUND times as stiff when the wheel goes down
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <string>

namespace {

constexpr double kBodyMass = 280.0;          // kg
constexpr double kWheelMass = 42.0;          // kg
constexpr double kTyreStiffness = 190000.0;  // N/m

struct Suspension {
  double spring = 0.0;
  double damping = 0.0;
  double rebound = 1.0;
};

/// Heights of the body and the wheel above rest, and their speeds.
using State = std::array<double, 4>;

/// Height of the road: a bump 6 cm high and half a metre long, then a rough road, at 10 m/s.
double road(double time) {
  constexpr double kPi = 3.14159265358979323846;
  const double along = 10.0 * time - 1.0;  // m
  if (along < 0.0) return 0.0;
  if (along < 0.5) return 0.06 * std::pow(std::sin(kPi * along / 0.5), 2);
  return 0.004 * std::sin(2.0 * kPi * along / 3.1) + 0.002 * std::sin(2.0 * kPi * along / 0.7);
}

double body_acceleration(const Suspension& suspension, const State& s) {
  const double extension_speed = s[2] - s[3];
  const double damping = suspension.damping * (extension_speed > 0.0 ? suspension.rebound : 1.0);
  return -(suspension.spring * (s[0] - s[1]) + damping * extension_speed) / kBodyMass;
}

State slope(const Suspension& suspension, double time, const State& s) {
  const double up = body_acceleration(suspension, s);
  const double wheel = (kTyreStiffness * (road(time) - s[1]) - kBodyMass * up) / kWheelMass;
  return {s[2], s[3], up, wheel};
}

State moved(const State& s, const State& k, double by) {
  State result = s;
  for (std::size_t i = 0; i < s.size(); ++i) result[i] += by * k[i];
  return result;
}

/// One step of the classical Runge-Kutta method.
State step(const Suspension& suspension, double time, double dt, const State& s) {
  const State a = slope(suspension, time, s);
  const State b = slope(suspension, time + 0.5 * dt, moved(s, a, 0.5 * dt));
  const State c = slope(suspension, time + 0.5 * dt, moved(s, b, 0.5 * dt));
  const State d = slope(suspension, time + dt, moved(s, c, dt));
  State result = s;
  for (std::size_t i = 0; i < s.size(); ++i) {
    result[i] += dt / 6.0 * (a[i] + 2.0 * b[i] + 2.0 * c[i] + d[i]);
  }
  return result;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 4) {
    std::fprintf(stderr, "usage: suspension SPRING DAMPING DAMPER [REBOUND]\n");
    return 2;
  }
  Suspension suspension{.spring = std::atof(argv[1]), .damping = std::atof(argv[2])};
  if (std::string(argv[3]) == "two-stage" && argc > 4) suspension.rebound = std::atof(argv[4]);

  constexpr double kStep = 0.0002;  // s
  constexpr int kSteps = 20000;
  State state = {};
  double squares = 0.0;
  double travel = 0.0;
  for (int i = 0; i < kSteps; ++i) {
    state = step(suspension, i * kStep, kStep, state);
    squares += std::pow(body_acceleration(suspension, state), 2);
    travel = std::max(travel, std::abs(state[0] - state[1]));
  }
  std::printf("{\"value\": %.12g, \"metrics\": {\"travel\": %.12g}}\n", std::sqrt(squares / kSteps),
              travel);
}
