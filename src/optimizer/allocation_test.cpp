// Evaluations must not touch the heap: they run tens of thousands of times per suggestion.
#include <atomic>
#include <cstdlib>

#include <gtest/gtest.h>

#include "acquisition/acquisition.hpp"
#include "gp/kernel_options.hpp"
#include "gp/lengthscale_objective.hpp"
#include "gp/posterior.hpp"
#include "gp/stationary_kernel.hpp"
#include "numeric/random_stream.hpp"

// The counter replaces malloc itself, so it sees Eigen's allocations too. The sanitizers have their
// own malloc, so nothing can be counted under them.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define OSCBO_CANNOT_COUNT 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define OSCBO_CANNOT_COUNT 1
#endif
#endif

namespace {
std::atomic<long> allocations{0};
}

#ifndef OSCBO_CANNOT_COUNT
extern "C" {
void* __libc_malloc(std::size_t size);                    // NOLINT(bugprone-reserved-identifier)
void* __libc_memalign(std::size_t align, std::size_t n);  // NOLINT(bugprone-reserved-identifier)
void* malloc(std::size_t size) {
  ++allocations;
  return __libc_malloc(size);
}
int posix_memalign(void** result, std::size_t align, std::size_t size) {
  ++allocations;
  *result = __libc_memalign(align, size);
  return *result == nullptr ? 12 : 0;
}
void* aligned_alloc(std::size_t align, std::size_t size) {
  ++allocations;
  return __libc_memalign(align, size);
}
}
#endif

namespace oscbo {
namespace {

using gp::Index;
using gp::Vector;

/// Runs `evaluate` for n = first .. last observations and counts its allocations after the first
/// run.
template <class Evaluate>
long allocations_after_first(Index dimension, Evaluate&& evaluate) {
  constexpr Index kFirst = 10;
  constexpr Index kLast = 60;
  numeric::RandomStream stream(0, numeric::Purpose::initial_design);
  gp::Inputs inputs(dimension, kLast);
  Vector y(kLast);
  std::vector<double> x(static_cast<std::size_t>(dimension));
  long counted = 0;
  for (Index n = 1; n <= kLast; ++n) {
    for (double& u : x) u = stream.uniform();
    inputs.append(x);
    y[n - 1] = stream.normal();
    if (n < kFirst) continue;
    const long during = evaluate(inputs, y, x);
    if (n > kFirst) counted += during;
  }
  return counted;
}

class Allocation : public testing::TestWithParam<gp::KernelOptions> {
 protected:
  void SetUp() override {
#ifdef OSCBO_CANNOT_COUNT
    GTEST_SKIP() << "a sanitizer replaces malloc";
#endif
    const long before = allocations;
    const Vector probe = Vector::Zero(100);
    ASSERT_GT(allocations, before) << "the counter does not see Eigen's allocations";
  }

  const Index dimension = 6;
  const gp::KernelHandle kernel = gp::make_kernel(GetParam(), gp::Layout::plain(dimension));
  const Vector theta = Vector::Constant(gp::parameter_count(GetParam(), dimension), 0.5);
};
INSTANTIATE_TEST_SUITE_P(
    EveryKernel, Allocation,
    testing::Values(gp::KernelOptions{}, gp::KernelOptions{.ard = true},
                    gp::KernelOptions{.family = gp::KernelOptions::Family::network},
                    gp::KernelOptions{.family = gp::KernelOptions::Family::network,
                                      .activation = gp::KernelOptions::Activation::erf}));

TEST_P(Allocation, ObjectiveAndGradientDoNotAllocate) {
  constexpr Index kCapacity = 60;
  gp::LengthscaleObjective objective(kernel, 0.01);
  objective.reserve(kCapacity);
  const gp::ObjectiveTerms terms = gp::likelihood_terms(kCapacity);
  objective.set_terms(terms);
  Vector gradient(theta.size());
  EXPECT_EQ(allocations_after_first(dimension,
                                    [&](const gp::Inputs& inputs, const Vector& y, const auto&) {
                                      const long before = allocations;
                                      objective.set_data(inputs, y);
                                      objective.value(theta);
                                      objective.value_and_gradient(theta, gradient);
                                      return allocations - before;
                                    }),
            0);
}

TEST_P(Allocation, PosteriorAndAcquisitionDoNotAllocate) {
  gp::Posterior posterior(kernel, 0.01);
  posterior.reserve(60, dimension);
  const acquisition::UpperConfidenceBound ucb{.multiplier = 1.5};
  gp::PredictionBatch batch;
  batch.resize(20, dimension);
  std::vector<gp::LocalPrediction> points(5, gp::LocalPrediction(dimension));
  for (gp::LocalPrediction& point : points) point.x.setConstant(0.3);
  EXPECT_EQ(allocations_after_first(
                dimension,
                [&](const gp::Inputs& inputs, const Vector& y, const std::vector<double>& x) {
                  EXPECT_TRUE(posterior.fit(inputs, y, theta).ok);
                  const long before = allocations;
                  double sum = ucb.at(posterior.at(x)).value;
                  posterior.predict(points);
                  sum += ucb.at(points.front().moments).value;
                  posterior.at_batch(batch);
                  EXPECT_TRUE(std::isfinite(sum));
                  return allocations - before;
                }),
            0);
}

}  // namespace
}  // namespace oscbo
