// File: oscbo/version.hpp
#pragma once

#include <string_view>

namespace oscbo {

/// version returns the release, e.g. "0.1.0".
[[nodiscard]] std::string_view version() noexcept;

/// build_description names the compiler, the instruction set and the build type. Two runs with the
/// same description on the same kind of processor have bit-equal results.
[[nodiscard]] std::string_view build_description() noexcept;

}  // namespace oscbo
