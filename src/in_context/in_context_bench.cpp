// Measures the in-context regressor with weights of full size. OSCBO_IN_CONTEXT_WEIGHTS names the
// file, which scripts/random-weights makes:
//
//   scripts/random-weights /tmp/weights.safetensors
//   OSCBO_IN_CONTEXT_WEIGHTS=/tmp/weights.safetensors build/release/bench/oscbo_in_context_bench
//
// Counters: GF is billions of floating-point operations of the products per second, two for each
// multiply-add; product_GF is that of one large product on the same machine, and floor_ms the time
// that all products would take at its speed.
#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <ctime>
#include <fstream>
#include <iterator>
#include <memory>
#include <string>
#include <vector>

#include <benchmark/benchmark.h>

#include "in_context/ensemble.hpp"
#include "numeric/parallel.hpp"

namespace oscbo::in_context {
namespace {

/// Returns the seconds that this process has computed. Other programs do not count.
double seconds_computed() {
  return static_cast<double>(std::clock()) / static_cast<double>(CLOCKS_PER_SEC);
}

std::vector<std::byte> read_weights(const std::string& path) {
  std::ifstream stream(path, std::ios::binary | std::ios::ate);
  std::vector<std::byte> bytes(stream ? static_cast<std::size_t>(stream.tellg()) : 0);
  stream.seekg(0);
  stream.read(reinterpret_cast<char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
  return bytes;
}

const char* weights_path() { return std::getenv("OSCBO_IN_CONTEXT_WEIGHTS"); }

using FloatWeights = std::shared_ptr<const Weights<float>>;

/// Returns the weights, read once, or nothing if no file is named.
FloatWeights model() {
  static const FloatWeights kModel = []() -> FloatWeights {
    if (weights_path() == nullptr) return nullptr;
    const std::vector<std::byte> bytes = read_weights(weights_path());
    return std::make_shared<Weights<float>>(Weights<float>::read(TensorFile(bytes, "weights")));
  }();
  return kModel;
}

Rows<float> points(Index rows, Index columns, double phase) {
  Rows<float> values(rows, columns);
  for (Index i = 0; i < values.size(); ++i) {
    values.data()[i] =
        static_cast<float>(1.7 * std::sin(phase + 0.37 * static_cast<double>(i * i)));
  }
  return values;
}

/// Multiply-adds of a block for one row: query, output and feed-forward network, and attention to
/// `keys` keys; with scaling, also the gate.
double block_work(double width, double head_width, double factor, double keys, bool is_scaled) {
  const double gate = is_scaled ? 2.0 * width / head_width * head_width * kScalingWidth : 0.0;
  return (2.0 + 2.0 * factor) * width * width + 2.0 * keys * width + gate;
}

/// Multiply-adds of a candidate whose context is cached.
double candidate_work(const ModelConfig& config, double context, double features) {
  const auto E = static_cast<double>(config.embed_dim);
  const auto D = static_cast<double>(config.row_width());
  const auto factor = static_cast<double>(config.feed_forward_factor);
  const auto learned = static_cast<double>(config.row_cls);
  const double tokens = features + learned;
  const double column =
      features * (3.0 * E + static_cast<double>(config.column_blocks) *
                                block_work(E, E / static_cast<double>(config.column_heads), factor,
                                           static_cast<double>(config.inducing_points), false));
  const double token = block_work(E, E, factor, tokens, false);
  const double keys = 2.0 * E * E;
  const auto full = static_cast<double>(config.row_blocks - 1);
  const double row = full * tokens * (token + keys) + learned * token + tokens * keys;
  const double icl =
      static_cast<double>(config.icl_blocks) *
      block_work(D, D / static_cast<double>(config.icl_heads), factor, context, true);
  const double decoder = 2.0 * D * D + 2.0 * D * static_cast<double>(config.quantiles);
  return column + row + icl + decoder;
}

/// Multiply-adds of a large product per second.
double product_speed() {
  static const double kSpeed = [] {
    const Index rows = 512;
    const Index width = 512;
    PackedMatrix<float> B;
    B.pack(width, width, [](Index k, Index j) { return static_cast<float>((k + 3 * j) % 7); });
    const Rows<float> X = points(rows, width, 0.0);
    Rows<float> Y(rows, width);
    double best = 0.0;
    for (int i = 0; i < 10; ++i) {
      constexpr int kProducts = 20;
      const double start = seconds_computed();
      for (int product = 0; product < kProducts; ++product) {
        B.multiply(X.data(), width, rows, nullptr, Y.data(), width);
        benchmark::DoNotOptimize(Y.data());
      }
      const double work = static_cast<double>(rows * width * width) * kProducts;
      best = std::max(best, work / (seconds_computed() - start));
    }
    return best;
  }();
  return kSpeed;
}

void report_speed(benchmark::State& state, double work, double seconds) {
  state.counters["GF"] = 2e-9 * work / seconds;
  state.counters["product_GF"] = 2e-9 * product_speed();
  state.counters["floor_ms"] = 1e3 * work / product_speed();
}

void load_weights(benchmark::State& state) {
  if (weights_path() == nullptr) return state.SkipWithError("OSCBO_IN_CONTEXT_WEIGHTS is not set");
  for (auto _ : state) {
    const std::vector<std::byte> bytes = read_weights(weights_path());
    benchmark::DoNotOptimize(Weights<float>::read(TensorFile(bytes, "weights")));
  }
}
BENCHMARK(load_weights)->Unit(benchmark::kMillisecond);

/// The network of the benchmark, conditioned. Arguments: points in the context, features.
ConditionedNetwork<float> conditioned(const benchmark::State& state) {
  const Rows<float> X = points(state.range(0), state.range(1), 0.1);
  const Rows<float> y = points(state.range(0), 1, 0.2);
  return ConditionedNetwork<float>(model(), X, {y.data(), static_cast<std::size_t>(y.size())});
}

/// Arguments: points in the context, features.
void condition(benchmark::State& state) {
  const numeric::ThreadLimit limit(1);
  if (model() == nullptr) return state.SkipWithError("OSCBO_IN_CONTEXT_WEIGHTS is not set");
  const Rows<float> X = points(state.range(0), state.range(1), 0.1);
  const Rows<float> y = points(state.range(0), 1, 0.2);
  const std::span<const float> values(y.data(), static_cast<std::size_t>(y.size()));
  for (auto _ : state) benchmark::DoNotOptimize(ConditionedNetwork<float>(model(), X, values));
}
BENCHMARK(condition)->Args({110, 6})->Args({110, 12})->Args({10, 6})->Unit(benchmark::kMillisecond);

/// Arguments: points in the context, features, candidates.
void predict_candidates(benchmark::State& state) {
  const numeric::ThreadLimit limit(1);
  if (model() == nullptr) return state.SkipWithError("OSCBO_IN_CONTEXT_WEIGHTS is not set");
  const ConditionedNetwork<float> network = conditioned(state);
  const Rows<float> candidates = points(state.range(2), state.range(1), 0.3);
  Rows<float> quantiles;
  double seconds = 0.0;
  for (auto _ : state) {
    const double start = seconds_computed();
    network.quantiles(candidates, quantiles);
    benchmark::DoNotOptimize(quantiles.data());
    seconds += (seconds_computed() - start);
  }
  const double work = static_cast<double>(state.range(2)) *
                      candidate_work(network.config(), static_cast<double>(state.range(0)),
                                     static_cast<double>(state.range(1)));
  report_speed(state, work, seconds / static_cast<double>(state.iterations()));
}
BENCHMARK(predict_candidates)
    ->Args({110, 6, 512})
    ->Args({110, 12, 512})
    ->Args({10, 6, 512})
    ->Args({110, 6, 5})
    ->Unit(benchmark::kMillisecond);

/// Five points with gradients of mean and variance, as a step of Adam needs them.
void differentiate(benchmark::State& state) {
  const numeric::ThreadLimit limit(1);
  if (model() == nullptr) return state.SkipWithError("OSCBO_IN_CONTEXT_WEIGHTS is not set");
  const ConditionedNetwork<float> network = conditioned(state);
  const Rows<float> candidates = points(5, state.range(1), 0.3);
  QueryPass<float> pass;
  Rows<float> gradient;
  for (auto _ : state) {
    network.forward(candidates, /*keep=*/true, pass);
    network.adjoint(pass, pass.quantiles, gradient);
    benchmark::DoNotOptimize(gradient.data());
  }
}
BENCHMARK(differentiate)->Args({110, 6})->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace oscbo::in_context
