// The options of the confidence width sqrt(beta_t).
#pragma once

#include <vector>

#include "base/option.hpp"

namespace oscbo::online {

/// Constant, or that of Theorem 1.
struct WidthOptions {
  enum class Kind { constant, theory };

  Kind kind = Kind::constant;
  double norm_bound = 1.0;   // B: bound of the function's norm, in the units of y
  double noise_bound = 0.1;  // R: sub-Gaussian scale of the noise, in the units of y
};

/// The multiplier of a rule that brings a theory of its own: from WidthOptions, or the rule's.
enum class RuleWidth { fixed, theory };

[[nodiscard]] std::vector<Option> width_options();

}  // namespace oscbo::online
