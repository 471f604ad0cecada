// What success or failure of an evaluation says about a Gaussian process f that decides it,
//
//   P(success at x) = Phi(f(x)),
//
// as if f had been measured: an observation with a noise variance of its own. Expectation
// propagation (Minka, 2001; Rasmussen and Williams, 2006, section 3.6) chooses it such that, taken
// together with all that the other evaluations say, it has the moments of the true posterior.
#pragma once

#include "gp/posterior.hpp"

namespace oscbo::gp {

struct ProbitSite {
  double mean = 0.0;
  double variance = 1.0;
};

/// probit_site returns what takes the place of an evaluation, given the latent moments of f from
/// all the others.
[[nodiscard]] ProbitSite probit_site(const Moments& others, bool succeeded);

}  // namespace oscbo::gp
