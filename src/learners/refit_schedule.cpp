#include "learners/refit_schedule.hpp"

#include <cmath>

#include "learners/learner_options.hpp"

namespace oscbo::learners {

// The miss rate of the intervals mean +- sqrt(beta) sd is 2 Phi(-sqrt(beta)).
RefitSchedule::RefitSchedule(const Config& config)
    : config_(config.get<RefitOptions>()),
      miss_rate_(std::erfc(std::sqrt(0.5 * config.beta))),
      evidence_(miss_rate_) {}

bool RefitSchedule::is_due(Index n) const {
  constexpr double kLevel = 0.01;
  if (!applies(n) || last_ == 0 || evidence_.contradicts(kLevel)) return true;
  return static_cast<double>(n) >= (1.0 + config_.growth) * static_cast<double>(last_);
}

void RefitSchedule::refitted(Index n) {
  last_ = n;
  evidence_ = online::CoverageEvidence(miss_rate_);
}

}  // namespace oscbo::learners
