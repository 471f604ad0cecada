#include "oscbo/objective.hpp"

#include <fmt/format.h>

#include "oscbo/error.hpp"

namespace oscbo {

std::string_view to_string(Goal goal) noexcept {
  return goal == Goal::maximize ? "maximize" : "minimize";
}

void check_objectives(std::span<const Objective> objectives) {
  if (objectives.size() == 1) return;
  throw Error(ErrorCode::invalid_value, "objectives",
              fmt::format("{} are declared; exactly one is accepted", objectives.size()));
}

}  // namespace oscbo
