// The options of A-GP-UCB.
#pragma once

#include <vector>

#include "online/width_options.hpp"

namespace oscbo {
struct Option;
}

namespace oscbo::online {

/// A-GP-UCB shrinks its lengthscales theta with time t: theta_t = max(theta_0 / g(t), floor).
/// `clock` determines what t counts. The constant c and the exponent a apply to Growth::power only.
struct ScheduleOptions {
  enum class Growth { step, power, fast };
  enum class Clock { rounds, calls };

  Growth growth = Growth::step;
  double growth_constant = 1.0;  // c of g(t) = max(c, t^a)
  double growth_exponent = 0.5;  // a of g(t)
  Clock clock = Clock::rounds;
  RuleWidth width = RuleWidth::fixed;
  double floor = 1e-4;  // also the floor of LB-GP-UCB
};

[[nodiscard]] std::vector<Option> schedule_options();

}  // namespace oscbo::online
