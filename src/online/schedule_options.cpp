#include "online/schedule_options.hpp"

#include "base/option.hpp"

namespace oscbo::online {

std::vector<Option> schedule_options() {
  using Options = ScheduleOptions;
  return {
      option::choice("agp.g", &Options::growth,
                     {{"oscbo", Options::Growth::step},
                      {"power", Options::Growth::power},
                      {"t^0.9", Options::Growth::fast}},
                     "growth g(t): 1 up to t = 5, then sqrt(t); max(c, t^a); max(1, t^0.9)"),
      option::number("agp.c", &Options::growth_constant, {1, 1e6}, "c of the growth max(c, t^a)"),
      option::number("agp.a", &Options::growth_exponent, {0, 10}, "a of the growth max(c, t^a)"),
      option::choice("agp.t_counts", &Options::clock,
                     {{"bo", Options::Clock::rounds}, {"calls", Options::Clock::calls}},
                     "what t counts: rounds, or evaluations including the initial design"),
      option::choice("agp.beta", &Options::width,
                     {{"fixed", RuleWidth::fixed}, {"theory", RuleWidth::theory}},
                     "confidence multiplier: from the option width, or A-GP-UCB's own"),
      option::number("schedule.floor", &Options::floor, {1e-6, 1e6},
                     "smallest lengthscale of A-GP-UCB and LB-GP-UCB"),
  };
}

}  // namespace oscbo::online
