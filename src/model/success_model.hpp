// A model of where evaluations succeed. It is a Gaussian process f with P(success at x) =
// Phi(f(x)), where Phi is the standard normal distribution function. Points are columns of the
// space (space/domain.hpp).
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "gp/inputs.hpp"
#include "gp/layout.hpp"
#include "gp/probit_site.hpp"
#include "gp/surrogate.hpp"
#include "model/posterior_mode.hpp"

namespace oscbo::model {

/// A value type. Its results depend only on the evaluations, not on when it was fitted.
class SuccessModel {
 public:
  explicit SuccessModel(const gp::Layout& layout);

  /// add records whether the evaluation of a point succeeded.
  void add(std::span<const double> columns, bool succeeded);

  /// fit learns from the evaluations, but from at most 200: the latest successes and the latest
  /// failures, up to 100 of each, or more of one kind if there are fewer of the other.
  void fit();

  /// log_probability returns the logarithm of the probability of success.
  [[nodiscard]] double log_probability(std::span<const double> columns);

  /// The model of f. Success means that f plus standard normal noise is positive. predictor
  /// predicts (f - location) / scale. In these units, success means that the prediction plus noise
  /// of variance `added_variance` is above `threshold`.
  [[nodiscard]] prediction::Predictor& predictor() { return model_; }
  [[nodiscard]] double threshold() const { return -units_.location / units_.scale; }
  [[nodiscard]] double added_variance() const { return 1.0 / (units_.scale * units_.scale); }
  [[nodiscard]] gp::Index columns() const { return inputs_.dimension(); }

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
  PosteriorMode mode_;
  std::vector<Evaluation> evaluations_;
  std::size_t failures_ = 0;  // among the evaluations

  // The evaluations in use and their sites, in units of f.
  gp::Inputs inputs_;
  std::vector<bool> succeeded_;
  std::vector<gp::ProbitSite> sites_;

  // The model of (f - location) / scale.
  gp::Affine units_;
  numeric::Vector theta_;
  gp::Surrogate model_;
};

}  // namespace oscbo::model
