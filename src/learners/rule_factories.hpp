// The rules of registry.cpp, each defined in the file of its name.
#pragma once

#include "learners/lengthscale_rule.hpp"

namespace oscbo::learners {

[[nodiscard]] std::unique_ptr<LengthscaleRule> make_game_rule(const Config& config, Index dimension,
                                                              std::uint64_t seed);
[[nodiscard]] std::unique_ptr<LengthscaleRule> make_likelihood_rule(const Config& config,
                                                                    Index dimension,
                                                                    std::uint64_t seed);
[[nodiscard]] std::unique_ptr<LengthscaleRule> make_fixed_rule(const Config& config,
                                                               Index dimension, std::uint64_t seed);
[[nodiscard]] std::unique_ptr<LengthscaleRule> make_prior_rule(const Config& config,
                                                               Index dimension, std::uint64_t seed);
[[nodiscard]] std::unique_ptr<LengthscaleRule> make_schedule_rule(const Config& config,
                                                                  Index dimension,
                                                                  std::uint64_t seed);
[[nodiscard]] std::unique_ptr<LengthscaleRule> make_balancing_rule(const Config& config,
                                                                   Index dimension,
                                                                   std::uint64_t seed);
[[nodiscard]] std::unique_ptr<LengthscaleRule> make_sharp_calibrated_rule(const Config& config,
                                                                          Index dimension,
                                                                          std::uint64_t seed);
[[nodiscard]] std::unique_ptr<LengthscaleRule> make_recalibrated_rule(const Config& config,
                                                                      Index dimension,
                                                                      std::uint64_t seed);

}  // namespace oscbo::learners
