#include "problems/rotation.hpp"

#include <cstdint>
#include <utility>

#include <Eigen/Core>
#include <Eigen/QR>

#include "numeric/random_stream.hpp"

namespace oscbo {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;

MatrixXd random_orthogonal(Eigen::Index dimension, std::uint64_t attempt) {
  numeric::RandomStream stream(attempt, numeric::Purpose::rotation);
  MatrixXd normals(dimension, dimension);
  for (Eigen::Index i = 0; i < dimension; ++i) {
    for (Eigen::Index j = 0; j < dimension; ++j) normals(i, j) = stream.normal();
  }
  const Eigen::HouseholderQR<MatrixXd> factors(normals);
  const VectorXd signs = factors.matrixQR().diagonal().cwiseSign();
  return factors.householderQ() * MatrixXd(signs.asDiagonal());
}

VectorXd centre_of(const std::vector<Bounds>& bounds) {
  VectorXd centre(static_cast<Eigen::Index>(bounds.size()));
  for (Eigen::Index j = 0; j < centre.size(); ++j) {
    const Bounds& side = bounds[static_cast<std::size_t>(j)];
    centre[j] = 0.5 * (side.lower + side.upper);
  }
  return centre;
}

bool is_inside(const VectorXd& x, const std::vector<Bounds>& bounds) {
  for (Eigen::Index j = 0; j < x.size(); ++j) {
    const Bounds& side = bounds[static_cast<std::size_t>(j)];
    if (!(x[j] > side.lower && x[j] < side.upper)) return false;
  }
  return true;
}

}  // namespace

Problem rotated(Problem problem) {
  const std::vector<Bounds> bounds = problem.space.bounds();
  const auto dimension = static_cast<Eigen::Index>(bounds.size());
  const VectorXd centre = centre_of(bounds);
  const VectorXd from_centre =
      Eigen::Map<const VectorXd>(problem.maximiser.data(), dimension) - centre;
  MatrixXd rotation;
  VectorXd maximiser;
  std::uint64_t attempt = 0;
  do {
    rotation = random_orthogonal(dimension, attempt++);
    maximiser = centre + rotation.transpose() * from_centre;
  } while (!is_inside(maximiser, bounds));

  problem.maximiser.assign(maximiser.begin(), maximiser.end());
  problem.value = [original = std::move(problem.value), rotation,
                   centre](std::span<const double> x) {
    if (std::ssize(x) != centre.size()) return original(x);  // refuses x
    const VectorXd turned =
        centre + rotation * (Eigen::Map<const VectorXd>(x.data(), centre.size()) - centre);
    return original({turned.data(), static_cast<std::size_t>(turned.size())});
  };
  return problem;
}

}  // namespace oscbo
