#include "online/mirror_descent.hpp"

#include <algorithm>
#include <cmath>

namespace oscbo::online {
namespace {

/// The multiplicative update never reaches 0 in exact arithmetic; nor shall it by underflow, for it
/// could not leave 0 again.
constexpr double kEntropyFloor = 1e-12;

}  // namespace

OnlineMirrorDescent::OnlineMirrorDescent(double first, double cap, double rate,
                                         DualRegulariser regulariser)
    : multiplier_(std::min(first, cap)), cap_(cap), rate_(rate), regulariser_(regulariser) {}

void OnlineMirrorDescent::observe_utility(double gradient) {
  switch (regulariser_) {
    case DualRegulariser::entropy:
      multiplier_ = std::clamp(multiplier_ * std::exp(-rate_ * gradient), kEntropyFloor, cap_);
      break;
    case DualRegulariser::euclidean:
      multiplier_ = std::clamp(multiplier_ - rate_ * gradient, 0.0, cap_);
      break;
  }
}

}  // namespace oscbo::online
