// The test functions of the named problems, in maximisation form. Each has an optimum on the box
// that problem.cpp gives it. Accuracy near the optimum matters, because regrets are plotted on a
// logarithmic scale. So functions with maximum 0 attain exactly 0 and lose no digits close to it. A
// function reads as many coordinates as its dimension; make_problem checks that they exist.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace oscbo::functions {

using Point = std::span<const double>;

struct Optimum {
  double maximum = 0.0;
  std::vector<double> maximiser;
};

/// sum_i a_i exp(-sum_j A_ij (x_j - P_ij)^2) with the standard constants. Two of them differ from
/// those that the paper prints: for three variables, P_41 is 0.0381 here and 0.03815 in the paper;
/// for six, A_32 is 3.5 here and 3 in the paper.
[[nodiscard]] double hartmann3(Point x);
[[nodiscard]] double hartmann6(Point x);
[[nodiscard]] Optimum hartmann3_optimum(std::size_t dimension);
[[nodiscard]] Optimum hartmann6_optimum(std::size_t dimension);

/// -(x_2 - 5.1 x_1^2 / (4 pi^2) + 5 x_1 / pi - 6)^2 - 10 (1 - 1 / (8 pi)) cos x_1 - 10
[[nodiscard]] double branin(Point x);
[[nodiscard]] Optimum branin_optimum(std::size_t dimension);

/// -sin^2(pi w_1) - sum_{i<d} (w_i - 1)^2 (1 + 10 sin^2(pi w_i + 1))
///  - (w_d - 1)^2 (1 + sin^2(2 pi w_d)), w_i = 1 + (x_i - 1) / 4
[[nodiscard]] double levy(Point x);
[[nodiscard]] Optimum levy_optimum(std::size_t dimension);

/// 20 exp(-0.2 sqrt(mean x_i^2)) + exp(mean cos(2 pi x_i)) - 20 - e
[[nodiscard]] double ackley(Point x);
[[nodiscard]] Optimum ackley_optimum(std::size_t dimension);

/// -sum_{i<d} (100 (x_{i+1} - x_i^2)^2 + (1 - x_i)^2)
[[nodiscard]] double rosenbrock(Point x);
[[nodiscard]] Optimum rosenbrock_optimum(std::size_t dimension);

/// sum_i sin(x_i) sin^20(i x_i^2 / pi)
[[nodiscard]] double michalewicz(Point x);
[[nodiscard]] Optimum michalewicz_optimum(std::size_t dimension);

/// -sum_i (x_i^4 - 16 x_i^2 + 5 x_i) / 2
[[nodiscard]] double styblinski_tang(Point x);
[[nodiscard]] Optimum styblinski_tang_optimum(std::size_t dimension);

}  // namespace oscbo::functions
