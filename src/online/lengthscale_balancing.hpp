// Regret balancing over a growing set of lengthscales: LB-GP-UCB without the Gaussian process.
//
// In round t:
//
//   theta = balancing.next_lengthscale();       // the candidate with the least suspected regret
//   ... query x_t with theta, observe y_t ...
//   balancing.complete_round(play, rewards);    // bookkeeping, elimination, a new candidate
#pragma once

#include <optional>
#include <vector>

#include "numeric/padded_matrix.hpp"
#include "oscbo/config.hpp"

namespace oscbo::online {

using numeric::Index;
using numeric::Vector;

/// A completed round: the lengthscale, the point chosen with it, and the uncertainty of the model
/// there.
struct Play {
  double theta = 0.0;
  Index point = 0;     // index of the point's reward
  double width = 0.0;  // confidence multiplier times the standard deviation predicted at the point
};

/// A lengthscale and the set S^theta of its plays so far.
struct Candidate {
  double theta = 0.0;
  std::vector<Index> points = {};
  double sum_of_widths = 0.0;

  [[nodiscard]] double count() const { return static_cast<double>(points.size()); }
};

class LengthscaleBalancing {
 public:
  /// The first and longest candidate is theta_0. No candidate is shorter than
  /// ScheduleOptions::floor. `nu` is the smoothness of the Matern kernel; none for the RBF kernel.
  LengthscaleBalancing(const Config& config, std::optional<double> nu, Index dimension,
                       double theta_0);

  /// next_lengthscale returns argmin_theta R^theta(|S^theta| + 1), where R^theta is the suspected
  /// regret (log_suspected_regret). In a tie, it returns the longest lengthscale. A candidate that
  /// was never played comes first, because R^theta(1) = 0.
  [[nodiscard]] double next_lengthscale() const;

  /// complete_round credits the play to its candidate, eliminates candidates and adds new ones. If
  /// the candidate was eliminated while the point was pending, the play still counts as a round.
  /// `rewards` holds the reward of every point played so far.
  void complete_round(const Play& play, const Vector& rewards);

  /// log_suspected_regret returns the logarithm of
  ///
  ///   R^theta(T) = sqrt(T) (B sqrt(gamma_T) + gamma_T),
  ///   gamma_T = theta^-d (log T)^(d+1)                                             (RBF)
  ///   gamma_T = theta^-d T^(d(d+1) / (2 nu + d(d+1))) (log T)^(2 nu / (2 nu + d))  (Matern)
  ///
  /// where B is norm_bound(theta) and d the dimension. The logarithm is finite even if theta^-d
  /// overflows, and -infinity at T = 1.
  [[nodiscard]] double log_suspected_regret(double theta, double T) const;

  /// norm_bound returns WidthOptions::norm_bound, multiplied by (theta_0 / theta)^(d/2) if
  /// BalancingOptions::norm_inflation is set.
  [[nodiscard]] double norm_bound(double theta) const;

  /// candidates returns the remaining candidates, from the longest to the shortest.
  [[nodiscard]] const std::vector<Candidate>& candidates() const { return candidates_; }

 private:
  void give_to_candidate(const Play& play);
  void eliminate(const Vector& rewards);
  void add();
  [[nodiscard]] double grid(int index) const;
  [[nodiscard]] bool is_admissible(double theta) const;

  Config config_;
  std::optional<double> nu_;
  double dimension_;
  double theta_0_;
  int last_index_ = 0;  // grid index of the shortest candidate so far
  int rounds_ = 0;      // completed rounds
  std::vector<Candidate> candidates_;
};

}  // namespace oscbo::online
