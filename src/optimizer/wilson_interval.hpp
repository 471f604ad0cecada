// How far a measured fraction can be trusted.
#pragma once

namespace oscbo {

struct FractionInterval {
  double lower = 0.0;
  double upper = 1.0;
};

/// wilson_interval returns the Wilson 95 % interval of a proportion, [0, 1] for no trials.
[[nodiscard]] FractionInterval wilson_interval(int hits, int trials);

}  // namespace oscbo
