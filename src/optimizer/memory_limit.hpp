#pragma once

#include "optimizer/quantity_data.hpp"
#include "oscbo/config.hpp"

namespace oscbo {

/// check_memory throws Error (invalid_value) if a model of these observations may take more
/// memory than `config` grants. Without this check, the system might kill the process. If
/// `is_noisy`, a second model counts too, because a recommendation from noisy observations needs
/// one.
void check_memory(const Config& config, const QuantityData& data, bool is_noisy);

}  // namespace oscbo
