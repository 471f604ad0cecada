// File: oscbo/version.hpp
#pragma once

#include <string_view>

namespace oscbo {

/// version returns the release, e.g. "0.1.0".
[[nodiscard]] std::string_view version() noexcept;

/// build_description names compiler, instruction set and build type. Results are bit-equal between
/// two runs with the same description on the same kind of processor.
[[nodiscard]] std::string_view build_description() noexcept;

}  // namespace oscbo
