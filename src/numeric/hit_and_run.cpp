#include "numeric/hit_and_run.hpp"

#include <algorithm>
#include <limits>

namespace oscbo::numeric {

HitAndRun::HitAndRun(const Polytope& polytope, RandomStream stream)
    : polytope_(&polytope),
      stream_(stream),
      rows_(polytope.rows().C(polytope.true_inequalities(), Eigen::all)),
      bounds_(polytope.rows().b(polytope.true_inequalities())),
      x_(polytope.interior_point()) {
  for (Index i = 1; i < kSamplesBefore; ++i) next();
}

const Vector& HitAndRun::next() {
  const Index jumps = kJumpsPerDimension * polytope_->directions().cols();
  for (Index i = 0; i < jumps; ++i) jump();
  polytope_->settle(x_);
  return x_;
}

// The chord is {x + t v : first <= t <= last}, because every inequality k requires rates_k t <=
// room_k.
void HitAndRun::jump() {
  const Eigen::MatrixXd& directions = polytope_->directions();
  const Vector v =
      directions * Vector::NullaryExpr(directions.cols(), [this] { return stream_.normal(); });
  const Vector rates = rows_ * v;
  const Vector room = (bounds_ - rows_ * x_).cwiseMax(0.0);
  double first = -std::numeric_limits<double>::infinity();
  double last = std::numeric_limits<double>::infinity();
  for (Index k = 0; k < rates.size(); ++k) {
    if (rates[k] > 0.0) last = std::min(last, room[k] / rates[k]);
    if (rates[k] < 0.0) first = std::max(first, room[k] / rates[k]);
  }
  x_ += (first + (last - first) * stream_.uniform()) * v;
}

}  // namespace oscbo::numeric
