#include "acquisition/acquisition_options.hpp"

#include "base/option.hpp"

namespace oscbo::acquisition {

std::vector<Option> acquisition_options() {
  using Options = AcquisitionOptions;
  return {
      option::choice("acquisition", &Options::kind,
                     {{"ucb", Options::Kind::ucb},
                      {"logei", Options::Kind::logei},
                      {"ei", Options::Kind::ei},
                      {"pi", Options::Kind::pi},
                      {"thompson", Options::Kind::thompson},
                      {"random", Options::Kind::random},
                      {"sobol", Options::Kind::sobol}},
                     "acquisition function"),
      option::integer("acquisition.raw_samples", &Options::raw_samples, {1, 1e6},
                      "Sobol points that a search evaluates first"),
      option::integer(
          "acquisition.local_samples", &Options::local_samples, {0, 1e6},
          "further points, made by changing the best point, that a search evaluates first"),
      option::integer("acquisition.restarts", &Options::restarts, {1, 1e6},
                      "number of evaluated points from which a local search starts"),
      option::choice("acquisition.solver", &Options::solver,
                     {{"lbfgsb", Options::Solver::lbfgsb},
                      {"bfgs", Options::Solver::bfgs},
                      {"adam", Options::Solver::adam},
                      {"candidates", Options::Solver::candidates}},
                     "local search in a box: L-BFGS-B as in the paper, projected BFGS, Adam, or "
                     "clouds of points"),
      option::integer("acquisition.max_iterations", &Options::max_iterations, {1, 1e6},
                      "largest number of iterations of a local search"),
      option::number("acquisition.adam_rate", &Options::adam_rate, {0, 1, option::Ends::open},
                     "step size of acquisition.solver=adam, in sides of the unit cube"),
      option::choice("acquisition.best", &Options::best,
                     {{"observed", Options::Best::observed}, {"fitted", Options::Best::fitted}},
                     "value to improve on: the best observation, or the best fitted mean"),
      option::integer("acquisition.candidates", &Options::candidates, {2, 4096},
                      "points at which Thompson sampling draws the function"),
  };
}

}  // namespace oscbo::acquisition
