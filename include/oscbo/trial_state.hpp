// File: oscbo/trial_state.hpp
//
// Where a trial of an optimizer or of a study stands.
#pragma once

#include <string_view>

namespace oscbo {

enum class TrialState { pending, complete, failed, abandoned };

/// to_string returns "pending", "complete", "failed", "abandoned".
[[nodiscard]] std::string_view to_string(TrialState state) noexcept;

}  // namespace oscbo
