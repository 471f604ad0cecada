// The options that all lengthscale rules share.
#pragma once

#include <vector>

namespace oscbo {
struct Option;
}

namespace oscbo::learners {

/// How a rule minimises its objective over the lengthscales.
struct LearnerOptions {
  enum class Solver { adam, exact };
  enum class Start { warm, cold, likelihood };
  enum class Transform { softplus, log, clamp };

  Solver solver = Solver::adam;
  Start start = Start::warm;
  Transform transform = Transform::softplus;
  double theta_min = 1e-2;
  double theta_max = 1e1;
  int adam_steps = 50;
  double adam_rate = 0.01;
  bool reset_moments = true;
  int restarts = 1;  // starts of one fit; with more than one, the further starts are log-uniform
};

/// When a model of many points learns its hyperparameters again. In between, the hyperparameters
/// stay the same and new observations are added to the model.
struct RefitOptions {
  double growth = 0.0;  // learn again after this relative growth in points; 0: before every query
  int after = 200;      // with at most this many points: before every query
};

[[nodiscard]] std::vector<Option> learner_options();
[[nodiscard]] std::vector<Option> refit_options();

}  // namespace oscbo::learners
