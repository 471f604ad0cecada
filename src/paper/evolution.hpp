// A local search for functions that are rugged and cheap: the (1+1)-CMA-ES of C. Igel, T. Suttorp
// and N. Hansen, "A computational efficient covariance matrix update and a (1+1)-CMA for evolution
// strategies", GECCO 2006. It keeps the best point x and a normal distribution around it:
//
//   try x' = x + sigma A z with standard normal z, and move there if it is no worse
//   p <- (1 - c_p) p + c_p [moved]                            the smoothed rate of success
//   sigma <- sigma exp((p - p_t / (1 - p_t) (1 - p)) / damping)    towards the rate p_t
//   if moved and p < p_theta, with r = (1 - c_a^2) / c_a^2:
//     A <- c_a A + c_a / |z|^2 (sqrt(1 + r |z|^2) - 1) A z z^T,
//     so that A A^T <- c_a^2 A A^T + (1 - c_a^2) (A z)(A z)^T
//
// [moved] is 1 if the point moved and 0 if not. c_p, p_t, p_theta, c_a and the damping have the
// values of that paper. Points are in the unit cube. A point that falls outside is reflected at the
// faces that it has crossed.
#pragma once

#include <Eigen/Core>

#include "numeric/random_stream.hpp"

namespace oscbo::paper {

class EvolutionSearch {
 public:
  /// The search begins at `start`, where the function to maximise has this value. `step` is the
  /// first sigma.
  EvolutionSearch(Eigen::VectorXd start, double value, double step, numeric::RandomStream stream);

  /// propose returns the next point to try.
  [[nodiscard]] const Eigen::VectorXd& propose();

  /// learn receives the value at the proposed point and updates the search.
  void learn(double value);

  [[nodiscard]] const Eigen::VectorXd& best() const { return best_; }
  [[nodiscard]] double best_value() const { return best_value_; }
  [[nodiscard]] double step() const { return step_; }
  [[nodiscard]] const Eigen::MatrixXd& shape() const { return shape_; }

 private:
  void adapt_step(bool moved);
  void adapt_shape();

  Eigen::VectorXd best_;
  double best_value_;
  double step_;  // sigma
  numeric::RandomStream stream_;
  double success_rate_;        // p
  Eigen::MatrixXd shape_;      // A
  Eigen::VectorXd direction_;  // z
  Eigen::VectorXd proposal_;
};

/// reflected maps `coordinate` into [0, 1] by reflection at 0 and 1, as often as necessary.
[[nodiscard]] double reflected(double coordinate);

}  // namespace oscbo::paper
