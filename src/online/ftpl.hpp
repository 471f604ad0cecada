// The primal regret minimiser: follow the perturbed leader (FTPL).
#pragma once

#include <functional>
#include <utility>
#include <vector>

#include "numeric/padded_matrix.hpp"
#include "numeric/random_stream.hpp"
#include "online/game_options.hpp"

namespace oscbo::online {

using numeric::Vector;

/// draw_perturbation draws the entries of the perturbation eta: normal with the standard deviation
/// `scale`, or exponential with the mean `scale`.
[[nodiscard]] inline Vector draw_perturbation(Eigen::Index dimension, PrimalOptions::Law law,
                                              double scale, numeric::RandomStream stream) {
  Vector eta(dimension);
  for (Eigen::Index k = 0; k < dimension; ++k) {
    eta[k] = scale * (law == PrimalOptions::Law::normal ? stream.normal() : stream.exponential());
  }
  return eta;
}

/// The leader plays w_{t+1} = argmin_w sum_j u_j(w) - <eta_t, w>. An approximate oracle finds the
/// minimum, given the utilities observed so far, eta, and the previous decision as its start. As in
/// the paper, utilities are losses: the leader minimises their sum.
template <class Utility>
class FollowThePerturbedLeader {
 public:
  using Oracle = std::function<Vector(const std::vector<Utility>& utilities, const Vector& eta,
                                      const Vector& start)>;

  explicit FollowThePerturbedLeader(Vector first) : decision_(std::move(first)) {}

  /// next_element returns the leader's decision. It is the first decision until a utility has been
  /// observed, and changes only after new utilities have been observed.
  const Vector& next_element(const Oracle& oracle, const Vector& eta) {
    if (leader_is_stale_) decision_ = oracle(utilities_, eta, decision_);
    leader_is_stale_ = false;
    return decision_;
  }

  /// start_from replaces the first decision.
  void start_from(Vector first) { decision_ = std::move(first); }

  void observe_utility(Utility utility) {
    utilities_.push_back(std::move(utility));
    leader_is_stale_ = true;
  }

  [[nodiscard]] const Vector& decision() const { return decision_; }
  [[nodiscard]] const std::vector<Utility>& utilities() const { return utilities_; }

 private:
  Vector decision_;
  std::vector<Utility> utilities_;
  bool leader_is_stale_ = false;
};

}  // namespace oscbo::online
