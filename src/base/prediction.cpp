#include "oscbo/prediction.hpp"

namespace oscbo {

std::string_view to_string(Phase phase) noexcept {
  return phase == Phase::play ? "play" : "recovery";
}

}  // namespace oscbo
