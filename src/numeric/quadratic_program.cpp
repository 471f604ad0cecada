#include "numeric/quadratic_program.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include <Eigen/Cholesky>
#include <Eigen/Householder>
#include <Eigen/Jacobi>

namespace oscbo::numeric {
namespace {

constexpr double kViolated = 1e-13;      // a smaller violation is rounding error
constexpr double kContradictory = 1e-8;  // a smaller contradiction is forgiven
constexpr double kParallel = 1e-8;       // smallest sine of the angle to the active rows
constexpr double kNoShare = 1e-12;       // a smaller share in a combination is rounding error
constexpr Index kNoRow = -1;
constexpr double kUnlimited = std::numeric_limits<double>::infinity();

/// Constraints a_k^T x <= b_k for k < inequalities, and a_k^T x = b_k for the others, with |a_k| =
/// 1 or a_k = 0.
struct UnitRows {
  Eigen::MatrixXd normals;  // a_k is column k
  Vector bounds;            // b_k
  Vector scales;            // |b_k| + sum_i |a_ki| size_i
  Vector norms;             // the norms that the rows had
  Index inequalities = 0;

  [[nodiscard]] Index size() const { return bounds.size(); }
};

UnitRows unit_rows(const LinearConstraints& constraints, const Vector& size) {
  UnitRows rows;
  rows.inequalities = constraints.b.size();
  rows.normals.resize(constraints.dimension(), constraints.size());
  rows.normals << constraints.C.transpose(), constraints.E.transpose();
  rows.bounds.resize(constraints.size());
  rows.bounds << constraints.b, constraints.e;
  rows.norms.resize(constraints.size());
  for (Index k = 0; k < rows.size(); ++k) {
    const double norm = rows.normals.col(k).stableNorm();
    rows.norms[k] = norm > 0.0 ? norm : 1.0;
    rows.normals.col(k) /= rows.norms[k];
  }
  rows.bounds.array() /= rows.norms.array();
  rows.scales = rows.bounds.cwiseAbs() + rows.normals.cwiseAbs().transpose() * size;
  return rows;
}

/// Returns the rows listed in `kept`, which must be ascending.
UnitRows some_rows(const UnitRows& rows, const std::vector<Index>& kept) {
  const auto inequalities = std::lower_bound(kept.begin(), kept.end(), rows.inequalities);
  return {.normals = rows.normals(Eigen::all, kept),
          .bounds = rows.bounds(kept),
          .scales = rows.scales(kept),
          .norms = rows.norms(kept),
          .inequalities = inequalities - kept.begin()};
}

/// The active rows in the order in which they joined, with their multipliers u.
class ActiveRows {
 public:
  /// clear makes room for `most` active rows among `rows`.
  void clear(Index most, Index rows) {
    size_ = 0;
    order_.resize(most);
    multipliers_.setZero(most);
    is_active_.setConstant(rows, false);
  }

  [[nodiscard]] Index size() const { return size_; }
  [[nodiscard]] bool contains(Index row) const { return is_active_[row]; }
  [[nodiscard]] Index operator[](Index place) const { return order_[place]; }
  [[nodiscard]] auto rows() const { return order_.head(size_); }
  [[nodiscard]] auto multipliers() const { return multipliers_.head(size_); }
  [[nodiscard]] auto multipliers() { return multipliers_.head(size_); }

  void add(Index row) {
    order_[size_++] = row;
    is_active_[row] = true;
  }

  /// remove takes out the row at `place`. The rows behind it move up.
  void remove(Index place) {
    is_active_[order_[place]] = false;
    --size_;
    for (Index i = place; i < size_; ++i) {
      order_[i] = order_[i + 1];
      multipliers_[i] = multipliers_[i + 1];
    }
  }

 private:
  Index size_ = 0;  // the number of entries of order_ and multipliers_ in use
  Eigen::VectorX<Index> order_;
  Vector multipliers_;
  Eigen::VectorX<bool> is_active_;  // of all rows
};

// Let N be the matrix whose columns are the normals of the q active rows. The method maintains
//
//   J^T B J = I,   J^T N = (R; 0),   R upper triangular,   J = (J1, J2) with q columns in J1
//
// and the minimum x over the points at which these rows hold with equality. Its multipliers u,
// defined by B x + g + N u = 0, are >= 0 for inequalities. The equalities are active from the
// start. A violated inequality joins along the path on which its own multiplier grows from zero. An
// inequality whose multiplier falls to zero on this path leaves. B is positive definite, so the
// value at x grows with every row that joins, and no active set recurs in exact arithmetic.
// Rounding can still cause cycles. So after many rows only contradictions above kContradictory
// count as violated, and after twice as many the method gives up.
class DualActiveSet {
 public:
  DualActiveSet(const Eigen::MatrixXd& B, const Vector& g, const UnitRows& rows)
      : rows_(rows), bounds_(rows.bounds), g_(g), n_(g.size()) {
    const Eigen::LLT<Eigen::MatrixXd> factor(B);
    is_convex_ = factor.info() == Eigen::Success;
    J_first_ = factor.matrixU().solve(Eigen::MatrixXd::Identity(n_, n_));
  }

  QuadraticOutcome run() {
    if (!is_convex_) return QuadraticOutcome::failed;
    if (!begin()) return QuadraticOutcome::infeasible;
    const Index patience = 10 * (n_ + rows_.size() + 1);
    for (Index joined = 0; joined < 2 * patience && x_.allFinite(); ++joined) {
      const Index row = most_violated(joined < patience ? kViolated : kContradictory);
      if (row == kNoRow) return QuadraticOutcome::solved;
      if (!enforce(row)) return QuadraticOutcome::infeasible;
    }
    return QuadraticOutcome::failed;
  }

  [[nodiscard]] const Vector& x() const { return x_; }

  [[nodiscard]] const ActiveRows& active() const { return active_; }

  /// conflict returns rows that have no common point. Some of them may be unnecessary.
  [[nodiscard]] const std::vector<Index>& conflict() const { return conflict_; }

 private:
  [[nodiscard]] Index q() const { return active_.size(); }
  [[nodiscard]] bool is_equality(Index row) const { return row >= rows_.inequalities; }
  [[nodiscard]] auto factor() const {
    return R_.topLeftCorner(q(), q()).triangularView<Eigen::Upper>();
  }

  // a_row = N shares + (a component independent of the active rows).
  struct Split {
    Vector image;  // J^T a_row
    Vector shares;
    double independence = 0.0;  // sine of the angle between a_row and the active rows
  };

  [[nodiscard]] Split split(Index row) const {
    Split parts;
    parts.image.noalias() = J_.transpose() * rows_.normals.col(row);
    parts.shares = parts.image.head(q());
    factor().solveInPlace(parts.shares);
    const double norm = parts.image.norm();
    if (norm > 0.0) parts.independence = parts.image.tail(n_ - q()).norm() / norm;
    return parts;
  }

  /// Starts at the minimum over the equalities. Returns false if they contradict each other.
  bool begin() {
    J_ = J_first_;
    R_.setZero(n_, n_);
    active_.clear(n_, rows_.size());
    find_minimum();
    // The most independent row joins first, so that dependent rows have moderate shares.
    for (Index row = most_independent(); row != kNoRow; row = most_independent()) {
      join(row, split(row).image);
    }
    for (Index row = rows_.inequalities; row < rows_.size(); ++row) {
      if (!active_.contains(row) && !is_implied(row)) return false;
    }
    return true;
  }

  [[nodiscard]] Index most_independent() const {
    Index best = kNoRow;
    double independence = kParallel;
    for (Index row = rows_.inequalities; row < rows_.size(); ++row) {
      const double candidate = active_.contains(row) ? 0.0 : split(row).independence;
      if (candidate <= independence) continue;
      independence = candidate;
      best = row;
    }
    return best;
  }

  /// Tells whether an equality that depends on active rows, a = N shares, agrees with them.
  bool is_implied(Index row) {
    const Vector shares = split(row).shares;
    double difference = bounds_[row];
    double scale = rows_.scales[row];
    for (Index i = 0; i < shares.size(); ++i) {
      difference -= shares[i] * bounds_[active_[i]];
      scale += std::abs(shares[i]) * rows_.scales[active_[i]];
    }
    if (std::abs(difference) <= kContradictory * scale) return true;
    note_conflict(row, shares);
    return false;
  }

  // With the bounds b of the active rows, x = J1 R^-T b - J2 J2^T g and u = -R^-1 (R^-T b + J1^T
  // g). Both are recomputed for every active set, so that errors do not accumulate.
  void find_minimum() {
    Vector y = -J_.transpose() * g_;
    Vector on_rows = bounds_(active_.rows());
    factor().adjoint().solveInPlace(on_rows);
    Vector multipliers = y.head(q()) - on_rows;
    y.head(q()) = on_rows;
    x_.noalias() = J_ * y;
    factor().solveInPlace(multipliers);
    for (Index i = 0; i < q(); ++i) {
      active_.multipliers()[i] =
          is_equality(active_[i]) ? multipliers[i] : std::max(multipliers[i], 0.0);
    }
  }

  /// Returns the inequality with the largest violation among those violated by more than
  /// `tolerance`. The size of x_ enters the unit of violation, because x_ may be much larger than
  /// expected.
  [[nodiscard]] Index most_violated(double tolerance) const {
    const Vector excess = rows_.normals.transpose() * x_ - bounds_;
    const auto rounding = [&](Index k) {
      return tolerance * (rows_.scales[k] + rows_.normals.col(k).cwiseAbs().dot(x_.cwiseAbs()));
    };
    Index worst = kNoRow;
    for (Index k = 0; k < rows_.inequalities; ++k) {
      const bool is_worse = worst == kNoRow || excess[k] > excess[worst];
      if (is_worse && !active_.contains(k) && excess[k] > 0.0 && excess[k] > rounding(k)) worst = k;
    }
    return worst;
  }

  /// Moves x_ until `row` holds too. Returns false if no point satisfies both it and the active
  /// rows.
  bool enforce(Index row) {
    for (;;) {
      const double violation = rows_.normals.col(row).dot(x_) - bounds_[row];
      const Split parts = split(row);
      const auto free = parts.image.tail(n_ - q());
      const bool is_determined = parts.independence <= kParallel;
      const auto [leaving, longest] = first_to_leave(parts.shares);
      if (is_determined && leaving == kNoRow) return forgive(row, violation, parts.shares);

      const double whole = is_determined ? kUnlimited : violation / free.squaredNorm();
      if (whole <= longest) {
        join(row, parts.image);
        return true;
      }
      active_.multipliers() -= longest * parts.shares;
      if (!is_determined) x_.noalias() -= longest * (J_.rightCols(n_ - q()) * free);
      leave(leaving);
    }
  }

  /// Returns the position of the inequality whose multiplier u_i - t shares_i reaches zero first,
  /// and that t.
  [[nodiscard]] std::pair<Index, double> first_to_leave(const Vector& shares) const {
    std::pair<Index, double> first{kNoRow, kUnlimited};
    const double least = least_share(shares);
    for (Index i = 0; i < shares.size(); ++i) {
      if (is_equality(active_[i]) || shares[i] <= least) continue;
      const double step = active_.multipliers()[i] / shares[i];
      if (step < first.second) first = {i, step};
    }
    return first;
  }

  // Here a_row = N shares, and the shares of inequalities are <= 0. The combination
  //
  //   a_row^T x - sum_i shares_i N_i^T x  <=  b_row - sum_i shares_i b_i
  //
  // has 0 on the left and -violation on the right. With weights w = (1, |shares|), every point at
  // which the equalities hold violates some inequality by at least violation / (w^T scales) of its
  // scale. If this is at most kContradictory, the bounds of the inequalities are relaxed by as much
  // and the method starts again. Otherwise the rows contradict each other, and forgive returns
  // false.
  bool forgive(Index row, double violation, const Vector& shares) {
    std::vector<Index> yielding{row};
    double scale = rows_.scales[row];
    for (Index i = 0; i < shares.size(); ++i) {
      const bool takes_part = -shares[i] > least_share(shares);
      if (is_equality(active_[i]) || !takes_part) continue;
      yielding.push_back(active_[i]);
      scale -= shares[i] * rows_.scales[active_[i]];
    }
    if (violation > kContradictory * scale) {
      note_conflict(row, shares);
      return false;
    }
    const double part = violation / scale + kViolated;
    for (const Index k : yielding) bounds_[k] += part * rows_.scales[k];
    return begin();
  }

  void note_conflict(Index row, const Vector& shares) {
    conflict_ = {row};
    for (Index i = 0; i < shares.size(); ++i) {
      if (std::abs(shares[i]) > least_share(shares)) conflict_.push_back(active_[i]);
    }
    std::sort(conflict_.begin(), conflict_.end());
  }

  /// The smallest share that is more than rounding error.
  static double least_share(const Vector& shares) { return kNoShare * (1.0 + shares.lpNorm<1>()); }

  /// Adds a row with image = J^T a_row. A reflection of J2 makes (R, image) triangular.
  void join(Index row, const Vector& image) {
    Vector essential(n_ - q() - 1);
    double tau = 0.0;
    double pivot = 0.0;
    image.tail(n_ - q()).makeHouseholder(essential, tau, pivot);
    Vector workspace(n_);
    J_.rightCols(n_ - q()).applyHouseholderOnTheRight(essential, tau, workspace.data());
    R_.col(q()).head(q()) = image.head(q());
    R_(q(), q()) = pivot;
    active_.add(row);
    find_minimum();
  }

  /// Removes the row at `place`. Rotations make the rest of R triangular again.
  void leave(Index place) {
    active_.remove(place);
    for (Index i = place; i < q(); ++i) R_.col(i) = R_.col(i + 1);
    for (Index i = place; i < q(); ++i) {
      Eigen::JacobiRotation<double> rotation;
      rotation.makeGivens(R_(i, i), R_(i + 1, i));
      R_.middleCols(i, q() - i).applyOnTheLeft(i, i + 1, rotation.adjoint());
      J_.applyOnTheRight(i, i + 1, rotation);
    }
  }

  const UnitRows& rows_;
  Vector bounds_;  // rows_.bounds, relaxed by what was forgiven
  const Vector& g_;
  Index n_;
  bool is_convex_ = false;
  Eigen::MatrixXd J_first_;  // L^-T, for B = L L^T

  Eigen::MatrixXd J_;
  Eigen::MatrixXd R_;
  Vector x_;
  ActiveRows active_;
  std::vector<Index> conflict_;
};

bool have_common_point(const UnitRows& rows) {
  const Index n = rows.normals.rows();
  const Vector zero = Vector::Zero(n);
  return DualActiveSet(Eigen::MatrixXd::Identity(n, n), zero, rows).run() !=
         QuadraticOutcome::infeasible;
}

/// Removes rows from the conflict as long as the others still contradict each other.
std::vector<Index> irreducible(const UnitRows& rows, std::vector<Index> conflict) {
  for (std::size_t i = conflict.size(); i-- > 0;) {
    std::vector<Index> others = conflict;
    others.erase(others.begin() + static_cast<std::ptrdiff_t>(i));
    if (!have_common_point(some_rows(rows, others))) conflict = std::move(others);
  }
  return conflict;
}

}  // namespace

LinearConstraints LinearConstraints::unlimited(Index dimension) {
  return {.C = Eigen::MatrixXd(0, dimension),
          .b = Vector(0),
          .E = Eigen::MatrixXd(0, dimension),
          .e = Vector(0)};
}

QuadraticMinimum minimise_quadratic(const Eigen::MatrixXd& B, const Vector& g,
                                    const LinearConstraints& constraints, const Vector& size) {
  const UnitRows rows = unit_rows(constraints, size);
  DualActiveSet method(B, g, rows);
  QuadraticMinimum result;
  result.outcome = method.run();
  result.x = method.x();
  const auto active = method.active().rows();
  result.active.assign(active.begin(), active.end());
  result.multipliers = Vector::Zero(rows.size());
  result.multipliers(active) = method.active().multipliers().cwiseQuotient(rows.norms(active));
  std::sort(result.active.begin(), result.active.end());
  if (result.outcome == QuadraticOutcome::infeasible) {
    result.conflict = irreducible(rows, method.conflict());
  }
  return result;
}

}  // namespace oscbo::numeric
