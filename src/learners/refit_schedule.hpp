// When a model of many points learns its hyperparameters anew. In between it keeps them and takes
// further points in O(n^2) each.
//
// Up to `refit.after` points it does so before every query. Beyond, once there are
// n >= (1 + refit.growth) n_0 points, where n_0 was their number the last time, so that all
// factorizations up to n points together cost no more than a few of them; and at once when the
// intervals of the model are contradicted by what has been observed since: its lengthscales, then,
// are not those of the data any more. Contradicted means that the anytime-valid test of
// online/coverage_evidence.hpp rejects their miss rate at a level of 1 %.
#pragma once

#include "gp/inputs.hpp"
#include "online/coverage_evidence.hpp"
#include "oscbo/config.hpp"

namespace oscbo::learners {

using gp::Index;

/// A value, as the rules are.
class RefitSchedule {
 public:
  explicit RefitSchedule(const Config& config);

  /// applies returns whether n points are so many that a model may keep its hyperparameters.
  [[nodiscard]] bool applies(Index n) const {
    return config_.growth > 0.0 && n > Index{config_.after};
  }

  /// is_due returns whether a model of n points is to learn anew.
  [[nodiscard]] bool is_due(Index n) const;

  /// refitted tells that it did.
  void refitted(Index n);

  /// observe tells whether an observation lay outside the interval that the model had predicted.
  void observe(bool miss) {
    if (config_.growth > 0.0) evidence_.observe(miss);
  }

  /// last returns n_0; 0 before the first time.
  [[nodiscard]] Index last() const { return last_; }

 private:
  RefitConfig config_;
  double miss_rate_;
  online::CoverageEvidence evidence_;
  Index last_ = 0;
};

}  // namespace oscbo::learners
