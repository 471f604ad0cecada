#pragma once

#include <cstddef>

#include "oscbo/config.hpp"

namespace oscbo {

/// check_memory throws Error (invalid_value) if a model of this many observations may take more
/// memory than `config` grants. Otherwise the system might kill the process. A recommendation from
/// noisy observations needs a second model.
void check_memory(const Config& config, std::size_t observations, bool is_noisy);

}  // namespace oscbo
