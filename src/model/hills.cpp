#include "model/hills.hpp"

#include <algorithm>
#include <utility>

#include "numeric/random_stream.hpp"
#include "numeric/sobol.hpp"

namespace oscbo::model {

void Hills::lock(std::shared_ptr<const gp::Basin> hill) {
  constexpr double kSmallestShare = 0.2;
  hills_.push_back(std::move(hill));
  if (unlocked_share() < kSmallestShare) open();
}

void Hills::open() {
  hills_.clear();
  asked_.clear();
}

std::vector<Index> Hills::unlocked_points(const gp::Inputs& inputs) {
  std::vector<Index> points;
  asked_.resize(static_cast<std::size_t>(inputs.size()), 0);
  for (Index i = 0; i < inputs.size(); ++i) {
    std::size_t& asked = asked_[static_cast<std::size_t>(i)];
    const std::vector<double> x = inputs.point(i);
    while (asked < hills_.size()) asked = hills_[asked]->contains(x) ? kOnAHill : asked + 1;
    if (asked == hills_.size()) points.push_back(i);
  }
  return points;
}

bool Hills::contain(const std::vector<double>& x) const {
  return std::any_of(hills_.begin(), hills_.end(),
                     [&](const auto& hill) { return hill->contains(x); });
}

/// unlocked_share returns the share of the box that is on no hill.
double Hills::unlocked_share() const {
  constexpr int kProbes = 100;
  numeric::ScrambledSobol sobol(static_cast<std::size_t>(parameters_),
                                numeric::RandomStream(seed_, numeric::Purpose::unlocked_share));
  std::vector<double> x(static_cast<std::size_t>(parameters_));
  int unlocked = 0;
  for (int i = 0; i < kProbes; ++i) {
    sobol.next(x);
    unlocked += contain(x) ? 0 : 1;
  }
  return static_cast<double>(unlocked) / kProbes;
}

}  // namespace oscbo::model
