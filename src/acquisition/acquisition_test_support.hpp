// Posteriors and boxes for the tests of this room.
#pragma once

#include <span>

#include <gtest/gtest.h>

#include "acquisition/search.hpp"
#include "gp/stationary_kernel.hpp"
#include "gp/surrogate.hpp"

namespace oscbo::acquisition::test {

inline std::span<const double> view(const Vector& x) {
  return {x.data(), static_cast<std::size_t>(x.size())};
}

/// A posterior over a random data set in d dimensions.
inline gp::Surrogate random_posterior(Index n, Index d, std::uint64_t seed) {
  numeric::RandomStream stream(seed, numeric::Purpose::initial_design);
  gp::Inputs inputs(d);
  Vector y(n);
  for (Index i = 0; i < n; ++i) {
    const Vector x = Vector::NullaryExpr(d, [&] { return stream.uniform(); });
    inputs.append(view(x));
    y[i] = stream.normal();
  }
  gp::Surrogate posterior(gp::stationary_kernel(gp::KernelShape::matern52), 0.01);
  EXPECT_TRUE(posterior.fit(inputs, y, Vector::Constant(1, 0.4)).ok);
  return posterior;
}

inline SearchBox unit_box(Index d) { return {.lower = Vector::Zero(d), .upper = Vector::Ones(d)}; }

inline SearchArea unit_area(Index d) {
  return {.box = unit_box(d), .incumbent = Vector::Constant(d, 0.5)};
}

}  // namespace oscbo::acquisition::test
