#include "oscbo/study_trial.hpp"

namespace oscbo {

std::string_view to_string(StudyTrialState state) noexcept {
  switch (state) {
    case StudyTrialState::pending: return "pending";
    case StudyTrialState::complete: return "complete";
    case StudyTrialState::failed: return "failed";
    case StudyTrialState::abandoned: break;
  }
  return "abandoned";
}

}  // namespace oscbo
