// File: oscbo/theory.hpp
//
// The quantities of the paper's theory for a run, finished or not. docs/theory.md explains them.
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

/// The validity of a regret bound. width.B and width.R are options of the method.
enum class CertificateStatus {
  certified,     // holds with probability 1 - delta if width.B and width.R are valid bounds
  heuristic,     // the same formula without this guarantee
  contradicted,  // the observations contradict the intervals behind the bound; shown as "void"
};

[[nodiscard]] std::string_view to_string(CertificateStatus status) noexcept;

/// The quantities after one model-based observation. Rounds are in the order of the tells. L^s is
/// the sharpness loss of a prediction, and L^c is its calibration loss.
struct TheoryRound {
  int round = 0;                                 // 1, 2, ...
  double beta = 0.0;                             // beta of this round's interval
  double information_gain = 0.0;                 // sum of log(1 + variance / noise variance) / 2
  std::optional<double> information_bound = {};  // Gamma, with width=theory only
  double margin = 0.0;                           // rho: sup over lengthscales of the mean of -L^c
  double optimality_gap = 0.0;  // G: sum of L^s minus the same sum for the reference lengthscales
  double violation = 0.0;       // V: sum of L^c
  double regret_bound = 0.0;    // Corollary 1, in the units of y
  double sum_of_widths = 0.0;   // sum of 2 sqrt(beta) sd: a regret bound sharper than Corollary 1
  double coverage = 0.0;        // fraction of observations inside their intervals
  double log_evidence = 0.0;    // logarithm of the evidence against the claimed coverage
  CertificateStatus status = CertificateStatus::heuristic;
};

struct TheoryReport {
  std::vector<TheoryRound> rounds = {};
  std::vector<double> reference = {};  // reference lengthscales of the optimality gap
};

/// theory computes the report. By default, the reference lengthscale of the optimality gap
/// maximises the marginal likelihood of all observations, or is the kernel's own if the kernel is
/// fixed. The margin is the maximum over a grid of lengthscales, so it is a lower bound on the
/// supremum. The report omits rounds without an observation, and has no rounds for methods without
/// a model. Throws Error (invalid_value) for a reference lengthscale outside [1e-6, 1e6], and for
/// any reference lengthscale if the kernel has no lengthscales.
[[nodiscard]] TheoryReport theory(const Optimizer& optimizer,
                                  std::optional<double> reference_lengthscale = std::nullopt);

}  // namespace oscbo
