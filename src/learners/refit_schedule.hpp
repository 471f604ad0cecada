// Decides when a model of many points refits its hyperparameters. Between refits it keeps them and
// adds new points in O(n^2) each.
//
// If `refit.growth` is 0, or if there are at most `refit.after` points, the model is refitted
// before every query. Otherwise it is refitted in two cases:
//
//   - There are n >= (1 + refit.growth) n_0 points, where n_0 is their number at the last refit.
//     Therefore all factorizations up to n points together cost only a few times as much as the
//     last one.
//   - The observations since the last refit contradict the intervals of the model: the test of
//     online/coverage_evidence.hpp rejects the miss rate of these intervals at the 1 % level. The
//     lengthscales then no longer fit the data.
#pragma once

#include "gp/inputs.hpp"
#include "learners/learner_options.hpp"
#include "online/coverage_evidence.hpp"
#include "oscbo/config.hpp"

namespace oscbo::learners {

using gp::Index;

/// A value type, like the rules.
class RefitSchedule {
 public:
  explicit RefitSchedule(const Config& config);

  /// applies tells whether a model of n points may keep its hyperparameters.
  [[nodiscard]] bool applies(Index n) const {
    return config_.growth > 0.0 && n > Index{config_.after};
  }

  /// is_due tells whether a model of n points must be refitted.
  [[nodiscard]] bool is_due(Index n) const;

  /// refitted records that the model was refitted with n points.
  void refitted(Index n);

  /// observe records whether an observation was outside its predicted interval.
  void observe(bool miss) {
    if (config_.growth > 0.0) evidence_.observe(miss);
  }

  /// last returns n_0, which is 0 before the first refit.
  [[nodiscard]] Index last() const { return last_; }

 private:
  RefitOptions config_;
  double miss_rate_;
  online::CoverageEvidence evidence_;
  Index last_ = 0;
};

}  // namespace oscbo::learners
