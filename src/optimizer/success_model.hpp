// Where evaluations succeed: a Gaussian process f that decides it, P(success at x) = Phi(f(x)).
// Points are columns of the space (space/domain.hpp).
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "acquisition/merit.hpp"
#include "gp/inputs.hpp"
#include "gp/layout.hpp"
#include "gp/probit_site.hpp"
#include "gp/surrogate.hpp"
#include "learners/posterior_mode.hpp"

namespace oscbo {

/// A value. What it says depends on the evaluations alone, not on when it was fitted.
class SuccessModel {
 public:
  explicit SuccessModel(const gp::Layout& layout);

  /// add records how the evaluation of a point ended.
  void add(std::span<const double> columns, bool succeeded);

  /// fit learns from the evaluations, unless that has been done; of more than 200 from the latest
  /// ones, failures among them up to a half.
  void fit();

  /// log_probability returns the logarithm of the probability of success.
  [[nodiscard]] double log_probability(std::span<const double> columns);

  /// limit returns what weights an acquisition by that probability.
  [[nodiscard]] acquisition::Limit limit();

  [[nodiscard]] gp::Index doubles_held() const { return model_.doubles_held(); }

 private:
  struct Evaluation {
    std::vector<double> columns;
    bool succeeded;
  };

  void look_at_latest();
  [[nodiscard]] gp::Affine units_of_usual_rate() const;
  void fit_hyperparameters();
  double match_sites();
  void condition();

  gp::Index parameters_;
  learners::PosteriorMode mode_;
  std::vector<Evaluation> evaluations_;
  std::size_t failures_ = 0;  // among them
  bool fit_is_stale_ = true;

  // The evaluations that are looked at, and what stands for them, in units of f.
  gp::Inputs inputs_;
  std::vector<bool> succeeded_;
  std::vector<gp::ProbitSite> sites_;

  // The model of (f - location) / scale.
  gp::Affine units_;
  numeric::Vector theta_;
  gp::Surrogate model_;
};

}  // namespace oscbo
