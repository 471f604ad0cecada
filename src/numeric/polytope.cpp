#include "numeric/polytope.hpp"

#include <cmath>
#include <utility>

#include <Eigen/QR>

namespace oscbo::numeric {
namespace {

// explore finds the minimum of a linear function by a quadratic program, which needs some
// curvature. In units in which the box is the unit cube, the curvature is 1 / kSteep of the slope.
// The minimum that it finds is then at most d / (2 kSteep) too high, for a slope of 1.
constexpr double kSteep = 1e6;
constexpr double kFlat = 1e-9;      // a distance from an inequality below this counts as zero
constexpr double kAtBound = 1e-15;  // a distance from a bound below this counts as zero
constexpr double kSameRow = 1e-9;   // a row with a smaller pivot depends on the others

/// Returns `widths` with 1 in place of 0, as units of the variables. A variable with a single value
/// has width 0.
Vector units_of(const Vector& widths) { return (widths.array() > 0.0).select(widths, 1.0); }

/// An orthonormal basis of {v : A v = 0}.
Eigen::MatrixXd null_space(const Eigen::MatrixXd& A) {
  const Index n = A.cols();
  if (A.rows() == 0) return Eigen::MatrixXd::Identity(n, n);
  Eigen::ColPivHouseholderQR<Eigen::MatrixXd> qr(A.transpose());
  qr.setThreshold(kSameRow);
  const Eigen::MatrixXd Q = qr.householderQ() * Eigen::MatrixXd::Identity(n, n);
  return Q.rightCols(n - qr.rank());
}

}  // namespace

Polytope::Polytope(Vector lower, Vector upper, const LinearConstraints& constraints)
    : lower_(std::move(lower)), upper_(std::move(upper)) {
  const Index n = dimension();
  size_ = units_of(lower_.cwiseAbs().cwiseMax(upper_.cwiseAbs()));
  const auto identity = Eigen::MatrixXd::Identity(n, n);
  rows_.C.resize(2 * n + constraints.C.rows(), n);
  rows_.C << identity, -identity, constraints.C;
  rows_.b.resize(rows_.C.rows());
  // A bound beyond the largest value of its row is replaced by that value.
  rows_.b << upper_, -lower_, constraints.b.cwiseMin(constraints.C.cwiseAbs() * size_);
  rows_.E = constraints.E;
  rows_.e = constraints.e;
  scales_.resize(rows_.size());
  scales_ << rows_.b.cwiseAbs() + rows_.C.cwiseAbs() * size_,
      rows_.e.cwiseAbs() + rows_.E.cwiseAbs() * size_;

  const QuadraticMinimum first = nearest(0.5 * (lower_ + upper_));
  if (first.outcome == QuadraticOutcome::solved) {
    explore(clamped(first.x));
  } else {
    conflict_ = sorted_by_kind(first.conflict);
  }
}

bool Polytope::contains(const Vector& x, double tolerance) const {
  Vector violations(rows_.size());
  violations << rows_.C * x - rows_.b, (rows_.E * x - rows_.e).cwiseAbs();
  return (violations.array() <= tolerance * scales_.array()).all();
}

std::optional<Vector> Polytope::project(const Vector& x) const {
  if (is_empty()) return std::nullopt;
  const QuadraticMinimum minimum = nearest(x);
  // This happens if x is not finite. Rounding could also keep the method from ending, but no such
  // case is known.
  if (minimum.outcome != QuadraticOutcome::solved) return interior_point_;
  return clamped(minimum.x);
}

void Polytope::settle(Vector& x) const {
  x = clamped(x);
  if (!contains(x)) x = project(x).value_or(x);
}

std::optional<Vector> Polytope::best_step(const Eigen::MatrixXd& B, const Vector& g,
                                          const Vector& x) const {
  // x counts as inside despite rounding, so that the step 0 is feasible.
  const LinearConstraints room{.C = rows_.C,
                               .b = (rows_.b - rows_.C * x).cwiseMax(0.0),
                               .E = rows_.E,
                               .e = Vector::Zero(rows_.e.size())};
  QuadraticMinimum minimum = minimise_quadratic(B, g, room, size_);
  if (minimum.outcome != QuadraticOutcome::solved) return std::nullopt;
  return std::move(minimum.x);
}

QuadraticMinimum Polytope::nearest(const Vector& x) const {
  const Index n = dimension();
  return minimise_quadratic(Eigen::MatrixXd::Identity(n, n), -x, rows_, size_);
}

PolytopeConflict Polytope::sorted_by_kind(const std::vector<Index>& rows) const {
  const Index n = dimension();
  PolytopeConflict conflict;
  for (const Index row : rows) {
    if (row < n) {
      conflict.upper.push_back(row);
    } else if (row < 2 * n) {
      conflict.lower.push_back(row - n);
    } else if (row < rows_.b.size()) {
      conflict.inequalities.push_back(row - 2 * n);
    } else {
      conflict.equalities.push_back(row - rows_.b.size());
    }
  }
  return conflict;
}

// For each inequality in turn, finds the point farthest from it. The mean of these points has a
// positive distance from every inequality, unless all points of the polytope lie on it.
void Polytope::explore(const Vector& start) {
  const Vector units = units_of(upper_ - lower_);
  const Eigen::MatrixXd curvature = units.array().square().inverse().matrix().asDiagonal();
  lowest_ = start;
  highest_ = start;
  Vector sum = Vector::Zero(dimension());
  for (Index k = 0; k < rows_.b.size(); ++k) {
    const Vector slope = rows_.C.row(k).transpose();
    const double steepness = slope.cwiseProduct(units).norm();
    Vector farthest = start;
    if (steepness > 0.0) {
      const Vector g = kSteep / steepness * slope;
      farthest += best_step(curvature, g, start).value_or(Vector::Zero(dimension()));
    }
    settle(farthest);
    sum += farthest;
    lowest_ = lowest_.cwiseMin(farthest);
    highest_ = highest_.cwiseMax(farthest);
  }
  interior_point_ = sum / static_cast<double>(rows_.b.size());
  settle(interior_point_);
  find_directions();
}

void Polytope::find_directions() {
  const Vector extents = highest_ - lowest_;
  const Vector distances = rows_.b - rows_.C * interior_point_;
  std::vector<Index> disguised;
  for (Index k = 0; k < distances.size(); ++k) {
    const bool is_flat = distances[k] <= kFlat * scales_[k];
    (is_flat ? disguised : true_inequalities_).push_back(k);
  }
  // If the rows fix a variable, its extent is only rounding error and cannot serve as a unit.
  const Vector units =
      (extents.array() > kFlat * size_.array()).select(extents, units_of(upper_ - lower_));
  Eigen::MatrixXd A(rows_.E.rows() + static_cast<Index>(disguised.size()), dimension());
  A << rows_.E, rows_.C(disguised, Eigen::all);
  A *= units.asDiagonal();
  A.rowwise().normalize();
  directions_ = units.asDiagonal() * null_space(A);
}

// A value within rounding error of a bound is moved onto it. So an absent component of a mixture is
// exactly 0.
Vector Polytope::clamped(const Vector& x) const {
  const Eigen::ArrayXd rounding = kAtBound * size_.array();
  Vector inside = ((x - lower_).array() <= rounding).select(lower_, x);
  inside = ((upper_ - x).array() <= rounding).select(upper_, inside);
  return inside;
}

}  // namespace oscbo::numeric
