#include "oscbo/trial_state.hpp"

namespace oscbo {

std::string_view to_string(TrialState state) noexcept {
  switch (state) {
    case TrialState::pending: return "pending";
    case TrialState::complete: return "complete";
    case TrialState::failed: return "failed";
    case TrialState::abandoned: break;
  }
  return "abandoned";
}

}  // namespace oscbo
