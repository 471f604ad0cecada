// Options that studies of earlier versions may have stored.
#pragma once

#include <string_view>

namespace oscbo::study {

/// is_retired returns whether an option is ignored when a stored study is read. A new study may not
/// set it. obs.noise_sd belongs to benchmarks; it never had an effect on suggestions.
[[nodiscard]] constexpr bool is_retired(std::string_view option) {
  return option == "obs.noise_sd";
}

}  // namespace oscbo::study
