// The success or failure of an evaluation as an observation of a Gaussian process f, where
//
//   P(success at x) = Phi(f(x)),      Phi: the standard normal distribution function.
//
// Each success or failure is replaced by a measurement of f with its own noise variance.
// Expectation propagation (Minka, 2001; Rasmussen and Williams, 2006, section 3.6) chooses this
// measurement so that, combined with the other evaluations, it leads to the moments of the true
// posterior.
#pragma once

#include "gp/posterior.hpp"

namespace oscbo::gp {

struct ProbitSite {
  double mean = 0.0;
  double variance = 1.0;
};

/// probit_site returns the measurement that replaces a success or a failure. `others` holds the
/// moments of f at the same point given all other evaluations.
[[nodiscard]] ProbitSite probit_site(const Moments& others, bool succeeded);

}  // namespace oscbo::gp
