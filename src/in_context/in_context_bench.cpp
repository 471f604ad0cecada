// Measures the in-context regressor with two models: `embedded` has the weights of pfn, which are
// part of the library; `full` has as many weights as TabICLv2. OSCBO_IN_CONTEXT_WEIGHTS names the
// file with the weights of `full`, which scripts/random-weights makes:
//
//   scripts/random-weights /tmp/weights.safetensors
//   OSCBO_IN_CONTEXT_WEIGHTS=/tmp/weights.safetensors build/release/bench/oscbo_in_context_bench
//
// Everything runs on one thread. The counters:
//
//   best_ms      the shortest computing time of an iteration
//   Mega         millions of multiply-adds in the products of an iteration
//   product_GF   the speed of one large product on this machine, in 10^9 operations per second (two
//                operations for each multiply-add)
//   floor_ms     the time that these multiply-adds would take at that speed
//   x_floor      best_ms / floor_ms
#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <ctime>
#include <fstream>
#include <limits>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include <benchmark/benchmark.h>

#include "in_context/embedded_weights.hpp"
#include "in_context/ensemble.hpp"
#include "numeric/parallel.hpp"

namespace oscbo::in_context {
namespace {

using FloatWeights = std::shared_ptr<const Weights<float>>;

enum class Model { embedded, full };

/// Returns the seconds that this process has computed. Other programs do not count.
double seconds_computed() {
  return static_cast<double>(std::clock()) / static_cast<double>(CLOCKS_PER_SEC);
}

std::vector<std::byte> bytes_of_file(const char* path) {
  std::ifstream stream(path, std::ios::binary | std::ios::ate);
  std::vector<std::byte> bytes(stream ? static_cast<std::size_t>(stream.tellg()) : 0);
  stream.seekg(0);
  stream.read(reinterpret_cast<char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
  return bytes;
}

/// Reads the weights of a model; there are none if no file is named.
FloatWeights read_weights(Model model) {
  const auto read = [](std::span<const std::byte> bytes) {
    return std::make_shared<const Weights<float>>(
        Weights<float>::read(TensorFile(bytes, "weights")));
  };
  if (model == Model::embedded) return read(embedded_file());
  const char* const path = std::getenv("OSCBO_IN_CONTEXT_WEIGHTS");
  return path == nullptr ? nullptr : read(bytes_of_file(path));
}

/// Returns the weights of a model, read once.
FloatWeights weights_of(Model model) {
  if (model == Model::embedded) return embedded_weights();
  static const FloatWeights kFull = read_weights(Model::full);
  return kFull;
}

template <class Scalar>
Rows<Scalar> points(Index rows, Index columns, double phase) {
  Rows<Scalar> values(rows, columns);
  for (Index i = 0; i < values.size(); ++i) {
    values.data()[i] =
        static_cast<Scalar>(1.7 * std::sin(phase + 0.37 * static_cast<double>(i * i)));
  }
  return values;
}

template <class Scalar>
std::span<const Scalar> entries(const Rows<Scalar>& rows) {
  return {rows.data(), static_cast<std::size_t>(rows.size())};
}

/// Returns the multiply-adds per second of a large product.
double product_speed() {
  static const double kSpeed = [] {
    constexpr Index kSize = 512;
    constexpr int kProducts = 20;
    PackedMatrix<float> B;
    B.pack(kSize, kSize, [](Index k, Index j) { return static_cast<float>((k + 3 * j) % 7); });
    const auto X = points<float>(kSize, kSize, 0.0);
    Rows<float> Y(kSize, kSize);
    double best = 0.0;
    for (int i = 0; i < 20; ++i) {
      const double start = seconds_computed();
      for (int product = 0; product < kProducts; ++product) {
        B.multiply(X.data(), kSize, kSize, nullptr, Y.data(), kSize);
        benchmark::DoNotOptimize(Y.data());
      }
      const double work = static_cast<double>(kSize * kSize * kSize) * kProducts;
      best = std::max(best, work / (seconds_computed() - start));
    }
    return best;
  }();
  return kSpeed;
}

/// Repeats the work on one thread, and reports the counters of the table above.
template <class Work>
void measure(benchmark::State& state, const Work& work) {
  const numeric::ThreadLimit limit(1);
  double best = std::numeric_limits<double>::infinity();
  std::int64_t operations = 0;
  for (auto _ : state) {
    const std::int64_t before = multiply_adds_done();
    const double start = seconds_computed();
    work();
    best = std::min(best, seconds_computed() - start);
    operations = multiply_adds_done() - before;
  }
  state.counters["best_ms"] = 1e3 * best;
  if (operations == 0) return;
  const double floor = static_cast<double>(operations) / product_speed();
  state.counters["Mega"] = 1e-6 * static_cast<double>(operations);
  state.counters["product_GF"] = 2e-9 * product_speed();
  state.counters["floor_ms"] = 1e3 * floor;
  state.counters["x_floor"] = best / floor;
}

bool is_missing(benchmark::State& state, Model model) {
  if (weights_of(model) != nullptr) return false;
  state.SkipWithError("OSCBO_IN_CONTEXT_WEIGHTS is not set");
  return true;
}

void load_weights(benchmark::State& state, Model model) {
  if (is_missing(state, model)) return;
  measure(state, [&] { benchmark::DoNotOptimize(read_weights(model)); });
}

/// A network with a context. Arguments of a benchmark: points in the context, features, candidates.
ConditionedNetwork<float> conditioned(const benchmark::State& state, Model model) {
  const auto y = points<float>(state.range(0), 1, 0.2);
  return {weights_of(model), points<float>(state.range(0), state.range(1), 0.1), entries(y)};
}

void condition(benchmark::State& state, Model model) {
  if (is_missing(state, model)) return;
  measure(state, [&] { benchmark::DoNotOptimize(conditioned(state, model)); });
}

void predict_candidates(benchmark::State& state, Model model) {
  if (is_missing(state, model)) return;
  const ConditionedNetwork<float> network = conditioned(state, model);
  const auto candidates = points<float>(state.range(2), state.range(1), 0.3);
  Rows<float> quantiles;
  measure(state, [&] {
    network.quantiles(candidates, quantiles);
    benchmark::DoNotOptimize(quantiles.data());
  });
}

/// A round as an optimizer has it: one member is conditioned on the context, and predicts the mean
/// and the variance at the candidates.
void one_round(benchmark::State& state, Model model) {
  if (is_missing(state, model)) return;
  const auto X = points<double>(state.range(0), state.range(1), 0.1);
  const auto y = points<double>(state.range(0), 1, 0.2);
  const auto candidates = points<double>(state.range(2), state.range(1), 0.3);
  measure(state, [&] {
    const Ensemble<float> ensemble(weights_of(model), X, entries(y), {.members = 1});
    benchmark::DoNotOptimize(ensemble.moments(candidates));
  });
}

/// A few candidates with the gradient of one function of the quantiles, as a step of Adam needs it.
void differentiate(benchmark::State& state, Model model) {
  if (is_missing(state, model)) return;
  const ConditionedNetwork<float> network = conditioned(state, model);
  const auto candidates = points<float>(state.range(2), state.range(1), 0.3);
  QueryPass<float> pass;
  Rows<float> gradient;
  measure(state, [&] {
    network.forward(candidates, /*keep=*/true, pass);
    network.adjoint(pass, pass.quantiles, gradient);
    benchmark::DoNotOptimize(gradient.data());
  });
}

void add_benchmarks(const char* name, Model model) {
  const auto add = [&](const std::string& what, void (*run)(benchmark::State&, Model)) {
    return benchmark::RegisterBenchmark((std::string(name) + '/' + what).c_str(), run, model)
        ->Unit(benchmark::kMillisecond);
  };
  add("load_weights", load_weights);
  add("condition", condition)->Args({110, 6})->Args({110, 12})->Args({10, 6});
  add("predict_candidates", predict_candidates)
      ->Args({110, 6, 512})
      ->Args({110, 12, 512})
      ->Args({10, 6, 512})
      ->Args({110, 6, 5});
  add("one_round", one_round)->Args({110, 6, 512});
  add("differentiate", differentiate)->Args({110, 6, 5});
}

const bool kAdded = [] {
  add_benchmarks("embedded", Model::embedded);
  add_benchmarks("full", Model::full);
  return true;
}();

}  // namespace
}  // namespace oscbo::in_context
