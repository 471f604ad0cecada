// File: oscbo/theory.hpp
//
// The quantities of the paper's theory along a run, finished or not; docs/theory.md explains them.
//
//   const oscbo::TheoryReport report = oscbo::theory(optimizer);
//   const oscbo::TheoryRound& now = report.rounds.back();
//   std::printf("regret so far <= %g (%s)\n", now.regret_bound,
//               std::string(oscbo::to_string(now.status)).c_str());
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "oscbo/optimizer.hpp"

namespace oscbo {

/// What a regret bound is worth.
enum class CertificateStatus {
  certified,     // holds with probability 1 - delta, if width.B and width.R do
  heuristic,     // the same formula, without that guarantee
  contradicted,  // the observations contradict the intervals it is made of; shown as "void"
};

[[nodiscard]] std::string_view to_string(CertificateStatus status) noexcept;

/// After one model-based observation, in the order in which they were told.
struct TheoryRound {
  int round = 0;                                 // 1, 2, ...
  double beta = 0.0;                             // of the interval of this round
  double information_gain = 0.0;                 // sum of log(1 + variance / noise variance) / 2
  std::optional<double> information_bound = {};  // Gamma, of width=theory
  double margin = 0.0;                           // rho: sup over lengthscales of the mean of -L^c
  double optimality_gap = 0.0;  // G: sum of L^s less that of the reference lengthscales
  double violation = 0.0;       // V: sum of L^c
  double regret_bound = 0.0;    // Corollary 1, in the units of y
  double sum_of_widths = 0.0;   // sum of 2 sqrt(beta) sd: what Corollary 1 bounds from above
  double coverage = 0.0;        // fraction of observations inside their intervals
  double log_evidence = 0.0;    // against the coverage that the intervals claim
  CertificateStatus status = CertificateStatus::heuristic;
};

struct TheoryReport {
  std::vector<TheoryRound> rounds = {};
  std::vector<double> reference = {};  // lengthscales of the optimality gap
};

/// theory computes the report. The reference lengthscale of the optimality gap is that of largest
/// marginal likelihood given all observations, unless one is named. The margin is taken over the
/// lengthscales of a grid, so it is a lower bound. Rounds without an observation, and runs of
/// methods without a model, have none. Throws Error (invalid_value) for a reference lengthscale
/// that is not in [1e-6, 1e6], and for any with a kernel that has no lengthscales.
[[nodiscard]] TheoryReport theory(const Optimizer& optimizer,
                                  std::optional<double> reference_lengthscale = std::nullopt);

}  // namespace oscbo
