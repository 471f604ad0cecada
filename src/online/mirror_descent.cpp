#include "online/mirror_descent.hpp"

#include <algorithm>
#include <cmath>

#include "online/game_options.hpp"

namespace oscbo::online {
namespace {

/// In exact arithmetic the multiplicative update never reaches 0. This floor keeps it from
/// underflowing to 0, which it could not leave again.
constexpr double kEntropyFloor = 1e-12;

}  // namespace

OnlineMirrorDescent::OnlineMirrorDescent(double first, double cap, double rate,
                                         DualOptions::Regulariser regulariser)
    : multiplier_(std::min(first, cap)), cap_(cap), rate_(rate), regulariser_(regulariser) {}

void OnlineMirrorDescent::observe_utility(double gradient) {
  switch (regulariser_) {
    case DualOptions::Regulariser::entropy:
      multiplier_ = std::clamp(multiplier_ * std::exp(-rate_ * gradient), kEntropyFloor, cap_);
      break;
    case DualOptions::Regulariser::euclidean:
      multiplier_ = std::clamp(multiplier_ - rate_ * gradient, 0.0, cap_);
      break;
  }
}

}  // namespace oscbo::online
