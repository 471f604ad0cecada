// Regret balancing over a growing set of lengthscales: LB-GP-UCB without the Gaussian process.
//
// Per round t:
//
//   theta = balancing.next_lengthscale();       // the candidate of least suspected regret
//   ... query x_t with theta, observe y_t ...
//   balancing.complete_round(play, rewards);    // bookkeeping, elimination, a new candidate
#pragma once

#include <vector>

#include "numeric/padded_matrix.hpp"
#include "oscbo/config.hpp"

namespace oscbo::online {

using numeric::Index;
using numeric::Vector;

/// A completed round: which lengthscale chose which point, and how uncertain it was there.
struct Play {
  double theta = 0.0;
  Index point = 0;     // position of its reward
  double width = 0.0;  // confidence multiplier times standard deviation, beta_t sd_{t-1}(x_t)
};

/// A lengthscale and the plays S that it has had.
struct Candidate {
  double theta = 0.0;
  std::vector<Index> points = {};
  double sum_of_widths = 0.0;

  [[nodiscard]] double count() const { return static_cast<double>(points.size()); }
};

class LengthscaleBalancing {
 public:
  /// The first and longest candidate is theta_0; no candidate is shorter than
  /// config.schedule.floor.
  LengthscaleBalancing(const Config& config, Index dimension, double theta_0);

  /// next_lengthscale returns argmin_theta R^theta(|S^theta| + 1), of equals the longest. A
  /// candidate that was never played is next, because R^theta(1) = 0.
  [[nodiscard]] double next_lengthscale() const;

  /// complete_round gives the play to its candidate, eliminates and adds. A play whose candidate is
  /// gone, because it was eliminated while the point was pending, still counts as a round.
  /// `rewards` has the reward of every point played so far.
  void complete_round(const Play& play, const Vector& rewards);

  /// log_suspected_regret returns the logarithm of
  ///
  ///   R^theta(T) = sqrt(T) (B sqrt(gamma_T) + gamma_T),
  ///   gamma_T = theta^-d (log T)^(d+1)                                             (RBF)
  ///   gamma_T = theta^-d T^(d(d+1) / (2 nu + d(d+1))) (log T)^(2 nu / (2 nu + d))  (Matern)
  ///
  /// which is finite where theta^-d is not. -infinity at T = 1.
  [[nodiscard]] double log_suspected_regret(double theta, double T) const;

  /// norm_bound returns B, which may grow with shorter lengthscales: (theta_0 / theta)^(d/2) B.
  [[nodiscard]] double norm_bound(double theta) const;

  /// candidates lists those in the running, from long to short.
  [[nodiscard]] const std::vector<Candidate>& candidates() const { return candidates_; }

 private:
  void give_to_candidate(const Play& play);
  void eliminate(const Vector& rewards);
  void add();
  [[nodiscard]] double grid(int index) const;
  [[nodiscard]] bool is_admissible(double theta) const;

  Config config_;
  double dimension_;
  double theta_0_;
  int last_index_ = 0;  // on the grid, of the shortest candidate so far
  int rounds_ = 0;      // completed
  std::vector<Candidate> candidates_;
};

}  // namespace oscbo::online
