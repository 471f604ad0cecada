#include "learners/learner_options.hpp"

#include "base/option.hpp"

namespace oscbo::learners {

std::vector<Option> learner_options() {
  using Options = LearnerOptions;
  return {
      option::choice(
          "learner.solver", &Options::solver,
          {{"adam", Options::Solver::adam}, {"exact", Options::Solver::exact}},
          "inner solver: the paper's Adam steps, or a thorough search for the global minimum"),
      option::choice("fit.start", &Options::start,
                     {{"warm", Options::Start::warm},
                      {"cold", Options::Start::cold},
                      {"mll", Options::Start::likelihood}},
                     "start of a fit: the previous lengthscale, ln 2, or (learner=game only) the "
                     "lengthscale of a likelihood fit"),
      option::number("theta.min", &Options::theta_min, {1e-6, 1e6}, "smallest lengthscale"),
      option::number("theta.max", &Options::theta_max, {1e-6, 1e6}, "largest lengthscale"),
      option::choice("theta.param", &Options::transform,
                     {{"softplus", Options::Transform::softplus},
                      {"log", Options::Transform::log},
                      {"clamp", Options::Transform::clamp}},
                     "coordinates in which Adam moves"),
      option::integer("ftpl.steps", &Options::adam_steps, {1, 1e6},
                      "Adam steps per fit, for every learner that fits with Adam"),
      option::number("ftpl.lr", &Options::adam_rate, {1e-9, 1e3},
                     "Adam learning rate, for every learner that fits with Adam"),
      option::flag("ftpl.reset_moments", &Options::reset_moments,
                   "forget Adam's moments between fits"),
      option::integer("ftpl.restarts", &Options::restarts, {1, 1000},
                      "starts of each fit; no effect on learner.solver=exact with one lengthscale"),
  };
}

std::vector<Option> refit_options() {
  using Options = RefitOptions;
  return {
      option::number("refit.growth", &Options::growth, {0, 10},
                     "relearn when the number of points has grown by this share, or when the "
                     "observations contradict the intervals; 0: before every query"),
      option::integer("refit.after", &Options::after, {1, 1e6},
                      "with at most this many points, learn before every query"),
  };
}

}  // namespace oscbo::learners
