// Measures how fast libraries perform dense operations on one core, as a baseline for our own.
// Eigen is always measured, and OpenBLAS if it is installed (libopenblas-dev).
#include <cmath>

#include <Eigen/Dense>
#include <benchmark/benchmark.h>

#ifdef OSCBO_HAS_OPENBLAS
#include <cblas.h>

extern "C" void dpotrf_(const char* triangle, const int* n, double* matrix, const int* stride,
                        int* outcome);
#endif

namespace oscbo::numeric {
namespace {

using Matrix = Eigen::MatrixXd;

/// A positive definite matrix and storage for the results.
struct Operands {
  explicit Operands(Eigen::Index size)
      : n(size), A(Matrix::Random(n, n)), B(Matrix::Random(n, n)), C(n, n), S(n, n) {
    S.noalias() = A * A.transpose();
    S.diagonal().array() += static_cast<double>(n);
  }

  Eigen::Index n;
  Matrix A;
  Matrix B;
  Matrix C;
  Matrix S;
};

/// Measures work on matrices of size n that takes `operations` n^3 floating-point operations.
template <class Work>
void measure(benchmark::State& state, double operations, const Work& work) {
  Operands operands(state.range(0));
  for (auto _ : state) {
    work(operands);
    benchmark::DoNotOptimize(operands.C.data());
  }
  state.counters["GFLOP"] =
      benchmark::Counter(1e-9 * operations * std::pow(static_cast<double>(operands.n), 3),
                         benchmark::Counter::kIsIterationInvariantRate);
}

constexpr double kProduct = 2.0;
constexpr double kFactor = 1.0 / 3.0;
constexpr double kSolve = 1.0;  // with n right-hand sides
constexpr double kRank = 1.0;   // a rank-n update of one triangle

void eigen_product(benchmark::State& state) {
  measure(state, kProduct, [](Operands& o) { o.C.noalias() = o.A * o.B; });
}
void eigen_factor(benchmark::State& state) {
  measure(state, kFactor, [](Operands& o) {
    o.C = o.S;
    const Eigen::LLT<Eigen::Ref<Matrix>> llt(o.C);
  });
}
void eigen_solve(benchmark::State& state) {
  measure(state, kSolve, [](Operands& o) {
    o.C = o.B;
    o.S.triangularView<Eigen::Lower>().solveInPlace(o.C);
  });
}
void eigen_rank(benchmark::State& state) {
  measure(state, kRank, [](Operands& o) {
    o.C.setZero();
    o.C.selfadjointView<Eigen::Lower>().rankUpdate(o.A);
  });
}

#define SIZES                                                                     \
  ->Arg(50)->Arg(110)->Arg(200)->Arg(500)->Arg(1000)->Arg(2000)->Arg(5000)->Unit( \
      benchmark::kMillisecond)
BENCHMARK(eigen_product) SIZES;
BENCHMARK(eigen_factor) SIZES;
BENCHMARK(eigen_solve) SIZES;
BENCHMARK(eigen_rank) SIZES;

#ifdef OSCBO_HAS_OPENBLAS
/// Limits OpenBLAS to one thread, and returns the size in the type that it takes.
int alone(const Operands& operands) {
  openblas_set_num_threads(1);
  return static_cast<int>(operands.n);
}

void openblas_product(benchmark::State& state) {
  measure(state, kProduct, [](Operands& o) {
    const int n = alone(o);
    cblas_dgemm(CblasColMajor, CblasNoTrans, CblasNoTrans, n, n, n, 1.0, o.A.data(), n, o.B.data(),
                n, 0.0, o.C.data(), n);
  });
}
void openblas_factor(benchmark::State& state) {
  measure(state, kFactor, [](Operands& o) {
    o.C = o.S;
    const int n = alone(o);
    int outcome = 0;
    dpotrf_("L", &n, o.C.data(), &n, &outcome);
  });
}
void openblas_solve(benchmark::State& state) {
  measure(state, kSolve, [](Operands& o) {
    const int n = alone(o);
    o.C = o.B;
    cblas_dtrsm(CblasColMajor, CblasLeft, CblasLower, CblasNoTrans, CblasNonUnit, n, n, 1.0,
                o.S.data(), n, o.C.data(), n);
  });
}
void openblas_rank(benchmark::State& state) {
  measure(state, kRank, [](Operands& o) {
    const int n = alone(o);
    cblas_dsyrk(CblasColMajor, CblasLower, CblasNoTrans, n, n, 1.0, o.A.data(), n, 0.0, o.C.data(),
                n);
  });
}
BENCHMARK(openblas_product) SIZES;
BENCHMARK(openblas_factor) SIZES;
BENCHMARK(openblas_solve) SIZES;
BENCHMARK(openblas_rank) SIZES;
#endif

}  // namespace
}  // namespace oscbo::numeric
