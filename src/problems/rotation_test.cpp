#include "problems/rotation.hpp"

#include <cmath>
#include <vector>

#include <gtest/gtest.h>

namespace oscbo {
namespace {

/// A problem whose value is one coordinate of its argument.
Problem coordinate_problem(std::size_t dimension, std::size_t coordinate,
                           const std::vector<double>& maximiser) {
  const std::vector<Bounds> box(dimension, {.lower = -1.0, .upper = 3.0});
  return {.name = "coordinate",
          .space = Space::of_box(box),
          .value = [coordinate](std::span<const double> x) { return x[coordinate]; },
          .maximiser = maximiser};
}

/// Returns row i of Q, measured at the unit vectors about the centre (1, ..., 1).
std::vector<double> row_of_rotation(std::size_t dimension, std::size_t i,
                                    const std::vector<double>& maximiser) {
  const Problem problem = rotated(coordinate_problem(dimension, i, maximiser));
  std::vector<double> row;
  for (std::size_t j = 0; j < dimension; ++j) {
    std::vector<double> x(dimension, 1.0);
    x[j] += 1.0;
    row.push_back(problem.value(x) - 1.0);
  }
  return row;
}

TEST(Rotation, IsOrthogonal) {
  for (const std::size_t dimension : {std::size_t{2}, std::size_t{5}, std::size_t{12}}) {
    const std::vector<double> maximiser(dimension, 0.7);
    std::vector<std::vector<double>> rows;
    for (std::size_t i = 0; i < dimension; ++i) {
      rows.push_back(row_of_rotation(dimension, i, maximiser));
    }
    for (std::size_t i = 0; i < dimension; ++i) {
      for (std::size_t k = 0; k <= i; ++k) {
        double product = 0.0;
        for (std::size_t j = 0; j < dimension; ++j) product += rows[i][j] * rows[k][j];
        EXPECT_NEAR(product, i == k ? 1.0 : 0.0, 1e-14);
      }
      EXPECT_LT(std::abs(rows[i][i]), 0.999) << "axis " << i << " has not moved";
    }
  }
}

TEST(Rotation, KeepsTheCentre) {
  const Problem problem = rotated(coordinate_problem(3, 1, {0.5, 0.5, 0.5}));
  EXPECT_EQ(problem.value(std::vector{1.0, 1.0, 1.0}), 1.0);
}

// The point is 1.9 sqrt(5) = 4.2 away from the centre of a cube whose faces are 2 away, so few
// rotations keep it inside.
TEST(Rotation, KeepsTheMaximiserInsideTheBox) {
  const std::vector<double> near_corner(5, 2.9);
  const Problem problem = rotated(coordinate_problem(5, 2, near_corner));
  for (const double coordinate : problem.maximiser) {
    EXPECT_GT(coordinate, -1.0);
    EXPECT_LT(coordinate, 3.0);
  }
  EXPECT_NEAR(problem.value(problem.maximiser), 2.9, 1e-14);
}

TEST(Rotation, DependsOnTheDimensionOnly) {
  const std::vector<double> once = row_of_rotation(4, 0, {0.9, 0.9, 0.9, 0.9});
  EXPECT_EQ(row_of_rotation(4, 0, {1.1, 1.0, 1.0, 1.0}), once);
  EXPECT_NE(row_of_rotation(4, 1, {0.9, 0.9, 0.9, 0.9}), once);
}

}  // namespace
}  // namespace oscbo
