// A function of one variable that shows how the methods work: their models after a few rounds, and
// the sharpness, calibration and lengthscale during the run.
#pragma once

#include <string>
#include <vector>

#include "oscbo/problem.hpp"
#include "report/figure.hpp"

namespace oscbo::paper {

/// illustration_problem returns (1.4 - 3u) sin(18u), u = 1.2 x, for x in [0, 1]. It has four hills
/// of unequal heights; the highest, 1.48907, is at x = 0.80507. In the literature, it is a standard
/// test function of global optimisation for u in [0, 1.2].
[[nodiscard]] Problem illustration_problem();

/// The model of a method after its last round.
struct IllustrationRun {
  std::string method = {};
  std::vector<double> x = {};  // told so far
  std::vector<double> y = {};
  double next_query = 0.0;
  // The model at illustration_grid(). The bounds are mean -+ sqrt(beta) times the sd of an
  // observation.
  std::vector<double> mean = {};
  std::vector<double> lower = {};
  std::vector<double> upper = {};
  // By round.
  std::vector<double> mean_width = {};    // of the intervals so far
  std::vector<double> coverage_gap = {};  // coverage so far - P(|Z| <= sqrt(beta))
  std::vector<double> lengthscale = {};
};

/// illustration_grid returns the points of [0, 1] at which models are drawn.
[[nodiscard]] std::vector<double> illustration_grid();

/// run_illustration runs `method` for `rounds` rounds after an initial design of four points.
[[nodiscard]] IllustrationRun run_illustration(const std::string& method, int rounds);

/// illustration_figure draws gp-ucb-mll, ocbo, a-gp-ucb and oscbo: the model of each, then all four
/// in the plane of mean width and coverage gap, and their lengthscales.
[[nodiscard]] report::Figure illustration_figure();

}  // namespace oscbo::paper
