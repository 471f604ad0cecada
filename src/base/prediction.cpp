#include "oscbo/prediction.hpp"

#include <fmt/format.h>

#include "oscbo/error.hpp"

namespace oscbo {

std::string_view to_string(Phase phase) noexcept {
  return phase == Phase::play ? "play" : "recovery";
}

void Quantities::check(std::size_t quantity) const {
  if (quantity < size()) return;
  throw Error(ErrorCode::unknown_name, "quantity",
              fmt::format("{} is not there; use 0 for the value, up to {} for outcomes", quantity,
                          outcomes));
}

}  // namespace oscbo
