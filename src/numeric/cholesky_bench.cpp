// Compares the factorization of a kernel matrix, and the results computed from it, with Eigen's
// factorization on one thread. Each takes n^3 / 3 operations. The candidates take turns, so that a
// busy machine slows all of them equally.
#include "numeric/cholesky.hpp"

#include <chrono>
#include <cmath>

#include <Eigen/Dense>
#include <benchmark/benchmark.h>

#include "numeric/parallel.hpp"

namespace oscbo::numeric {
namespace {

using Clock = std::chrono::steady_clock;
using Matrix = Eigen::MatrixXd;

Matrix kernel_matrix(Index n) {
  const Matrix X = Matrix::Random(n, 6);
  Matrix K = Matrix::Identity(n, n) * 0.01;
  for (Index j = 0; j < n; ++j) {
    K.col(j).array() += (-(X.rowwise() - X.row(j)).rowwise().squaredNorm()).array().exp();
  }
  return K;
}

/// Returns the duration of one call in seconds.
template <class Work>
double time_of(const Work& work) {
  const Clock::time_point start = Clock::now();
  work();
  return std::chrono::duration<double>(Clock::now() - start).count();
}

void factorization(benchmark::State& state) {
  const ThreadLimit limit(1);
  const auto n = static_cast<Index>(state.range(0));
  const Matrix K = kernel_matrix(n);
  Matrix A;
  Cholesky cholesky;
  PaddedMatrix U;
  PaddedMatrix W(n, n);
  W.set_zero();
  double product = 0.0;
  double eigen = 0.0;
  double factor = 0.0;
  double inverse = 0.0;
  double sandwich = 0.0;
  for (auto _ : state) {
    Matrix C(n, n);
    product += time_of([&] { C.noalias() = K * K; });
    benchmark::DoNotOptimize(C);
    A = K;
    eigen += time_of([&] { const Eigen::LLT<Eigen::Ref<Matrix>> llt(A); });
    PaddedMatrix& L = cholesky.storage();
    L.resize(n, n);
    for (Index j = 0; j < n; ++j) std::copy_n(K.col(j).data(), n, L.column(j));
    bool ok = false;
    factor += time_of([&] { ok = cholesky.factorize(n); });
    if (!ok) state.SkipWithError("the matrix cannot be factorized");
    inverse += time_of([&] { cholesky.inverse_transposed(U); });
    sandwich += time_of([&] { benchmark::DoNotOptimize(contract_sandwich(U, U, n, W)); });
  }
  const auto rounds = static_cast<double>(state.iterations());
  const double operations = std::pow(static_cast<double>(n), 3) / 3.0;
  state.counters["product_GF"] = 1e-9 * 6.0 * operations * rounds / product;
  state.counters["eigen_us"] = 1e6 * eigen / rounds;
  state.counters["factor_us"] = 1e6 * factor / rounds;
  state.counters["factor_GF"] = 1e-9 * operations * rounds / factor;
  state.counters["inverse_GF"] = 1e-9 * operations * rounds / inverse;
  state.counters["sandwich_GF"] = 1e-9 * operations * rounds / sandwich;
  state.counters["speedup"] = eigen / factor;
}
BENCHMARK(factorization)
    ->Arg(50)
    ->Arg(110)
    ->Arg(200)
    ->Arg(500)
    ->Arg(1000)
    ->Arg(2000)
    ->Arg(4000)
    ->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace oscbo::numeric
