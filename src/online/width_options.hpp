// The options of the confidence width sqrt(beta_t).
#pragma once

#include <vector>

namespace oscbo {
struct Option;
}

namespace oscbo::online {

/// The width is constant, or the one of Theorem 1.
struct WidthOptions {
  enum class Kind { constant, theory };

  Kind kind = Kind::constant;
  double norm_bound = 1.0;   // B: bound on the function's norm, in the units of y
  double noise_bound = 0.1;  // R: sub-Gaussian scale of the noise, in the units of y
};

/// The confidence multiplier of a rule that has its own theory. fixed: from WidthOptions; theory:
/// from that theory.
enum class RuleWidth { fixed, theory };

[[nodiscard]] std::vector<Option> width_options();

}  // namespace oscbo::online
