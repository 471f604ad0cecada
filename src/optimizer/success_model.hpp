// Where evaluations succeed: a Gaussian process f that decides it, P(success at x) = Phi(f(x)).
// Points are columns of the space (space/domain.hpp).
#pragma once

#include <span>
#include <vector>

#include "acquisition/merit.hpp"
#include "gp/probit_site.hpp"
#include "learners/posterior_mode.hpp"

namespace oscbo {

/// A value: copying it copies all that has been learned.
class SuccessModel {
 public:
  explicit SuccessModel(const gp::Layout& layout);

  /// add records how the evaluation of a point ended.
  void add(std::span<const double> columns, bool succeeded);

  /// fit learns from all evaluations, unless that has been done.
  void fit();

  /// probability returns that of success.
  [[nodiscard]] double probability(std::span<const double> columns);

  /// limit returns what weights an acquisition by it.
  [[nodiscard]] acquisition::Limit limit();

  [[nodiscard]] gp::Index doubles_held() const { return model_.doubles_held(); }

 private:
  [[nodiscard]] gp::Affine units() const;
  void fit_hyperparameters();
  double match_sites();
  void condition();

  gp::Index parameters_;
  learners::PosteriorMode mode_;
  gp::Inputs inputs_;
  std::vector<bool> succeeded_;
  bool fit_is_stale_ = true;

  // What stands for the evaluations, in units of f.
  std::vector<gp::ProbitSite> sites_;

  // The model of (f - location) / scale.
  gp::Affine units_;
  numeric::Vector theta_;
  numeric::Vector log_theta_;  // where the last fit of it ended
  gp::Surrogate model_;
};

}  // namespace oscbo
