// The hyperparameters that `auto` learns, for each View of the observations (view_schedule.hpp).
#pragma once

#include <array>

#include "learners/refit_schedule.hpp"
#include "model/posterior_mode.hpp"
#include "model/view_schedule.hpp"
#include "oscbo/config.hpp"

namespace oscbo::model {

using learners::Index;
using learners::Observations;
using learners::PredictionFeedback;
using learners::Vector;

/// A value type.
class ViewModels {
 public:
  ViewModels(const Config& config, const gp::Layout& layout);

  /// of_all returns the model of all observations. The refit schedule decides when the
  /// hyperparameters of this model are fitted again.
  [[nodiscard]] const FittedModel& of_all(const Observations& observations);

  /// base returns how many points of the model that of_all last returned are factorized at once.
  /// The other points are then added one by one. 0 means that all points are factorized at once.
  [[nodiscard]] Index base() const { return base_; }

  /// of_some returns the model of the observations of a view, in a box with these sides.
  [[nodiscard]] FittedModel of_some(const Observations& observations, const Vector& sides,
                                    View view);

  /// keep returns the model with the hyperparameters last fitted to `view`, and with the location
  /// and scale of `observations`.
  [[nodiscard]] FittedModel keep(const Observations& observations, View view);

  /// forget makes the next fit to a view start from the prior.
  void forget(View view) { log_thetas_[static_cast<std::size_t>(view)].resize(0); }

  /// lengthscales returns the lengthscales last fitted to a view, or 1 before the first fit.
  [[nodiscard]] Vector lengthscales(View view);

  /// is_kept returns whether the model of n observations keeps its hyperparameters for a while.
  [[nodiscard]] bool is_kept(Index n) const { return schedule_.applies(n); }

  /// observe records whether an observation missed its predicted interval.
  void observe(const PredictionFeedback& feedback, bool miss);

  [[nodiscard]] int evaluations() const { return mode_.evaluations(); }

 private:
  [[nodiscard]] Vector& log_theta(View view) { return log_thetas_[static_cast<std::size_t>(view)]; }
  [[nodiscard]] bool is_of_all(const PredictionFeedback& feedback) const;

  Index parameters_;
  PosteriorMode mode_;
  std::array<Vector, 3> log_thetas_;  // by view, from the last fit; empty before
  learners::RefitSchedule schedule_;  // for the model of all observations
  FittedModel all_;                   // that model
  Index base_ = 0;
};

}  // namespace oscbo::model
