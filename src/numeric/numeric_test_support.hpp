// Matrices for the tests of this room.
#pragma once

#include <Eigen/Dense>

#include "numeric/padded_matrix.hpp"
#include "numeric/random_stream.hpp"

namespace oscbo::numeric::test {

using Matrix = Eigen::MatrixXd;

inline Matrix random_matrix(Index rows, Index columns, std::uint64_t seed) {
  RandomStream stream(seed, Purpose::initial_design);
  return Matrix::NullaryExpr(rows, columns, [&] { return stream.normal(); });
}

}  // namespace oscbo::numeric::test
