#include "in_context/network.hpp"

#include <cmath>
#include <cstdlib>
#include <cstring>
#include <iostream>
#include <numbers>
#include <string>
#include <vector>

#include "in_context/ensemble.hpp"
#include "in_context/in_context_test_support.hpp"
#include "in_context/random_model_test_support.hpp"
#include "numeric/parallel.hpp"

namespace oscbo::in_context {
namespace {

/// The largest errors of a case, relative to the largest value.
struct StageErrors {
  double column = 0.0;
  double row = 0.0;
  double icl = 0.0;
  double quantiles = 0.0;
  double moments = 0.0;
  double gradient = 0.0;

  void raise(const StageErrors& other) {
    column = std::max(column, other.column);
    row = std::max(row, other.row);
    icl = std::max(icl, other.icl);
    quantiles = std::max(quantiles, other.quantiles);
    moments = std::max(moments, other.moments);
    gradient = std::max(gradient, other.gradient);
  }
};

/// Joins the rows of the context and the queries, as the reference numbers have them.
template <class Scalar>
Rows<Scalar> joined_rows(const Rows<Scalar>& context, const Rows<Scalar>& query) {
  Rows<Scalar> all(context.rows() + query.rows(), context.columns());
  std::copy_n(context.data(), context.size(), all.data());
  std::copy_n(query.data(), query.size(), all.row(context.rows()));
  return all;
}

/// Sees a column as a row.
Rows<double> as_row(const Rows<double>& column) {
  Rows<double> row(1, column.size());
  std::copy_n(column.data(), column.size(), row.data());
  return row;
}

/// Arranges feature by feature as row by row.
template <class Scalar>
Rows<Scalar> by_row(const Rows<Scalar>& column, Index features) {
  const Index rows = column.rows() / features;
  const Index width = column.columns();
  Rows<Scalar> result(rows, features * width);
  for (Index slot = 0; slot < features; ++slot) {
    for (Index i = 0; i < rows; ++i) {
      std::copy_n(column.row(slot * rows + i), width, result.row(i) + slot * width);
    }
  }
  return result;
}

/// The gradient of mean + sqrt(2) sd in the quantiles.
template <class Scalar>
Rows<Scalar> bound_gradient(const Rows<Scalar>& quantiles) {
  const auto count = static_cast<double>(quantiles.columns());
  Rows<Scalar> gradient(quantiles.rows(), quantiles.columns());
  for (Index i = 0; i < quantiles.rows(); ++i) {
    double mean = 0.0;
    for (Index k = 0; k < quantiles.columns(); ++k) mean += quantiles(i, k) / count;
    double squares = 0.0;
    for (Index k = 0; k < quantiles.columns(); ++k) squares += std::pow(quantiles(i, k) - mean, 2);
    const double sd = std::sqrt(squares / (count - 1.0));
    for (Index k = 0; k < quantiles.columns(); ++k) {
      gradient(i, k) = static_cast<Scalar>(
          1.0 / count + std::numbers::sqrt2 * (quantiles(i, k) - mean) / ((count - 1.0) * sd));
    }
  }
  return gradient;
}

/// Mean, standard deviation, and mean + sqrt(2) sd of the quantiles in each row.
template <class Scalar>
Rows<double> moments_and_bound(const Rows<Scalar>& quantiles) {
  Rows<double> result(3, quantiles.rows());
  for (Index i = 0; i < quantiles.rows(); ++i) {
    const QuantileMoments moments = moments_of(quantiles.row(i), quantiles.columns());
    result(0, i) = moments.mean;
    result(1, i) = std::sqrt(moments.variance);
    result(2, i) = result(0, i) + std::numbers::sqrt2 * result(1, i);
  }
  return result;
}

class NetworkReference : public ReferenceTest {
 protected:
  template <class Scalar>
  [[nodiscard]] StageErrors errors(const std::string& model) const {
    const std::vector<std::byte> held = bytes(model + "_cases.safetensors");
    const TensorFile cases(held, "cases");
    const auto weights_of_model = weights<Scalar>(model);
    StageErrors worst;
    for (const int n : {1, 2, 10, 40}) {
      for (const int features : {1, 2, 3, 6}) {
        const std::string name = "n" + std::to_string(n) + "_h" + std::to_string(features);
        const StageErrors here = case_errors<Scalar>(weights_of_model, cases, name);
        print(model, name, here);
        worst.raise(here);
      }
    }
    return worst;
  }

 private:
  /// Shows the errors of a case on request.
  static void print(const std::string& model, const std::string& name, const StageErrors& errors) {
    if (std::getenv("OSCBO_SHOW_ERRORS") == nullptr) return;
    std::cout << model << ' ' << name << ": column " << errors.column << ", row " << errors.row
              << ", icl " << errors.icl << ", quantiles " << errors.quantiles << ", moments "
              << errors.moments << ", gradient " << errors.gradient << '\n';
  }

  template <class Scalar>
  [[nodiscard]] static StageErrors case_errors(std::shared_ptr<const Weights<Scalar>> weights,
                                               const TensorFile& cases, const std::string& name) {
    const auto X = rows_of<Scalar>(cases, name + ".X_context");
    const auto y = rows_of<Scalar>(cases, name + ".y_context");
    const auto query = rows_of<Scalar>(cases, name + ".X_query");
    ContextStages<Scalar> stages;
    const ConditionedNetwork<Scalar> network(
        std::move(weights), X,
        std::span<const Scalar>(y.data(), static_cast<std::size_t>(y.size())), &stages);
    QueryPass<Scalar> pass;
    network.forward(query, /*keep=*/true, pass);
    Rows<Scalar> gradient;
    network.adjoint(pass, bound_gradient(pass.quantiles), gradient);
    const Index features = X.columns();
    const auto reference = [&](const char* field) {
      return rows_of<double>(cases, name + "." + field);
    };
    return {.column = largest_error(
                joined_rows(by_row(stages.column, features), by_row(pass.column, features)),
                reference("column")),
            .row = largest_error(joined_rows(stages.row, pass.row), reference("row")),
            .icl = largest_error(pass.icl, reference("icl")),
            .quantiles = largest_error(pass.quantiles, reference("quantiles")),
            .moments = largest_error(
                moments_and_bound(pass.quantiles),
                joined_rows(joined_rows(as_row(reference("mean")), as_row(reference("sd"))),
                            as_row(reference("ucb")))),
            .gradient = largest_error(gradient, reference("gradient"))};
  }
};

/// Two matrices have the same bits.
template <class Scalar>
bool have_same_bits(const Rows<Scalar>& a, const Rows<Scalar>& b) {
  return a.rows() == b.rows() && a.columns() == b.columns() &&
         std::memcmp(a.data(), b.data(), static_cast<std::size_t>(a.size()) * sizeof(Scalar)) == 0;
}

void expect_below(const StageErrors& worst, double stages, double gradient) {
  EXPECT_LT(worst.column, stages);
  EXPECT_LT(worst.row, stages);
  EXPECT_LT(worst.icl, stages);
  EXPECT_LT(worst.quantiles, stages);
  EXPECT_LT(worst.moments, stages);
  EXPECT_LT(worst.gradient, gradient);
}

TEST_F(NetworkReference, AgreesAfterEveryStageInBothPrecisions) {
  for (const char* model : {"tiny", "small"}) {
    SCOPED_TRACE(model);
    expect_below(errors<double>(model), 1e-10, 1e-9);
    expect_below(errors<float>(model), 1e-5, 1e-5);
  }
}

TEST_F(NetworkReference, GivesTheSameBitsInAnyBatchAndOnAnyNumberOfThreads) {
  const auto model = weights<float>("small");
  const Rows<float> X = waves<float>(80, 3, 0.1);
  const Rows<float> y = waves<float>(80, 1, 0.2);
  const Rows<float> query = waves<float>(150, 3, 0.3);
  Rows<float> alone;
  {
    const numeric::ThreadLimit limit(1);
    const ConditionedNetwork<float> network(model, X, span_of(y));
    network.quantiles(query, alone);
  }
  const numeric::ThreadLimit limit(3);
  const ConditionedNetwork<float> network(model, X, span_of(y));
  Rows<float> shared;
  network.quantiles(query, shared);
  EXPECT_TRUE(have_same_bits(shared, alone));

  Rows<float> pieces(150, alone.columns());
  for (Index first = 0, count = 1; first < 150; first += count, count = count % 37 + 4) {
    count = std::min<Index>(count, 150 - first);
    Rows<float> piece(count, 3);
    std::copy_n(query.row(first), piece.size(), piece.data());
    QueryPass<float> pass;
    network.forward(piece, /*keep=*/first % 2 == 0, pass);
    std::copy_n(pass.quantiles.data(), pass.quantiles.size(), pieces.row(first));
  }
  EXPECT_TRUE(have_same_bits(pieces, alone));
}

TEST_F(NetworkReference, GivesTheSameGradientInAnyBatchAndTwiceFromOnePass) {
  const Rows<float> X = waves<float>(30, 2, 0.1);
  const Rows<float> y = waves<float>(30, 1, 0.2);
  const ConditionedNetwork<float> network(weights<float>("small"), X, span_of(y));
  const Rows<float> query = waves<float>(9, 2, 0.3);
  QueryPass<float> pass;
  network.forward(query, /*keep=*/true, pass);
  const Rows<float> seed = bound_gradient(pass.quantiles);
  Rows<float> together;
  network.adjoint(pass, seed, together);
  Rows<float> again;
  network.adjoint(pass, seed, again);
  EXPECT_TRUE(have_same_bits(again, together));
  for (Index i = 0; i < query.rows(); ++i) {
    Rows<float> single(1, 2);
    std::copy_n(query.row(i), 2, single.data());
    network.forward(single, /*keep=*/true, pass);
    Rows<float> gradient;
    network.adjoint(pass, bound_gradient(pass.quantiles), gradient);
    EXPECT_EQ(gradient(0, 0), together(i, 0)) << i;
    EXPECT_EQ(gradient(0, 1), together(i, 1)) << i;
  }
}

/// Returns how much the order of the rows of the context changes the quantiles.
template <class Scalar>
double change_by_order(const std::shared_ptr<const Weights<Scalar>>& model) {
  const Rows<Scalar> X = waves<Scalar>(25, 3, 0.1);
  const Rows<Scalar> y = waves<Scalar>(25, 1, 0.2);
  Rows<Scalar> X_reversed(25, 3);
  Rows<Scalar> reversed_y(25, 1);
  for (Index i = 0; i < 25; ++i) {
    std::copy_n(X.row(i), 3, X_reversed.row(24 - i));
    reversed_y(24 - i, 0) = y(i, 0);
  }
  const Rows<Scalar> query = waves<Scalar>(6, 3, 0.3);
  Rows<Scalar> quantiles;
  ConditionedNetwork<Scalar>(model, X, span_of(y)).quantiles(query, quantiles);
  Rows<Scalar> reversed;
  ConditionedNetwork<Scalar>(model, X_reversed, span_of(reversed_y)).quantiles(query, reversed);
  Rows<double> expected(quantiles.rows(), quantiles.columns());
  std::copy_n(quantiles.data(), quantiles.size(), expected.data());
  return largest_error(reversed, expected);
}

// Sums over the context are rounded in another order. Nothing else changes.
TEST_F(NetworkReference, DoesNotDependOnTheOrderOfTheContext) {
  EXPECT_LT(change_by_order(weights<double>("small")), 1e-14);
  EXPECT_LT(change_by_order(weights<float>("small")), 1e-6);
}

TEST_F(NetworkReference, KeepsTheFirstContextWhenMoved) {
  const Rows<double> X = waves<double>(5, 2, 0.1);
  const Rows<double> y = waves<double>(5, 1, 0.2);
  ConditionedNetwork<double> network(weights<double>("tiny"), X, span_of(y));
  Rows<double> before;
  network.quantiles(X, before);
  const ConditionedNetwork<double> moved = std::move(network);
  Rows<double> after;
  moved.quantiles(X, after);
  EXPECT_TRUE(have_same_bits(after, before));
}

/// Lets rows attend to the first `count` rows of `seen`, whose keys and values are computed now.
template <class Scalar>
void attend_to(const BlockWeights<Scalar>& weights, const Rows<Scalar>& seen, Index count,
               Rows<Scalar>& rows) {
  BlockPass<Scalar> pass;
  Rows<Scalar> key_value;
  apply_norm(weights.norm1, seen, pass.norm, pass.input);
  weights.key_value.apply(pass.input, key_value);
  KeyValues<Scalar> keys;
  keys.pack(key_value, 0, count, weights.heads);
  apply_block(weights, query_factors(weights, count), std::span<const KeyValues<Scalar>>(&keys, 1),
              pass, rows);
}

/// Adds what the encoder of the target says to the first rows, those of the context.
template <class Scalar>
void add_targets(const Linear<Scalar>& encoder, const Rows<Scalar>& y, Rows<Scalar>& rows) {
  encoder.matrix.multiply(y.data(), 1, y.rows(), encoder.bias.data(), rows.data(), rows.columns(),
                          Store::add);
}

/// The column stage for one slot.
template <class Scalar>
Rows<Scalar> column_pass(const Weights<Scalar>& weights, const Rows<Scalar>& X, Index slot,
                         const Rows<Scalar>& y) {
  Rows<Scalar> group(X.rows(), kFeatureGroup);
  for (Index i = 0; i < X.rows(); ++i) {
    group(i, 0) = X(i, (slot + 1) % X.columns());
    group(i, 1) = X(i, (slot + 2) % X.columns());
    group(i, 2) = X(i, (slot + 4) % X.columns());
  }
  Rows<Scalar> rows;
  weights.feature_encoder.apply(group, rows);
  add_targets(weights.column_target_encoder, y, rows);
  for (const InducedBlockWeights<Scalar>& block : weights.column_blocks) {
    Rows<Scalar> hidden = block.inducing;
    attend_to(block.gather, rows, y.rows(), hidden);
    attend_to(block.scatter, hidden, hidden.rows(), rows);
  }
  return rows;
}

/// The quantiles without caches: in each block, the queries follow the rows of the context.
template <class Scalar>
Rows<Scalar> full_pass(const Weights<Scalar>& weights, const Rows<Scalar>& context,
                       const Rows<Scalar>& y, const Rows<Scalar>& query) {
  const Rows<Scalar> X = joined_rows(context, query);
  const RowStage<Scalar> row_stage(weights, X.columns());
  Rows<Scalar> tokens(X.rows() * row_stage.tokens(), weights.config.embed_dim);
  for (Index slot = 0; slot < X.columns(); ++slot) {
    const Rows<Scalar> column = column_pass(weights, X, slot, y);
    for (Index i = 0; i < X.rows(); ++i) {
      std::copy_n(column.row(i), column.columns(),
                  tokens.row(i * row_stage.tokens() + weights.config.row_cls + slot));
    }
  }
  RowStagePass<Scalar> pass;
  Rows<Scalar> rows;
  row_stage.apply(tokens, /*keep=*/false, pass, rows);
  add_targets(weights.icl_target_encoder, y, rows);
  for (const BlockWeights<Scalar>& block : weights.icl_blocks) {
    attend_to(block, rows, y.rows(), rows);
  }
  NormPass<Scalar> norm;
  Rows<Scalar> normal;
  apply_norm(weights.icl_norm, rows, norm, normal);
  Rows<Scalar> hidden;
  weights.decoder.first.apply(normal, hidden);
  apply_gelu(hidden);
  Rows<Scalar> quantiles;
  weights.decoder.second.apply(hidden, quantiles);
  Rows<Scalar> of_query(query.rows(), quantiles.columns());
  std::copy_n(quantiles.row(context.rows()), of_query.size(), of_query.data());
  return of_query;
}

template <class Scalar>
void expect_bits_of_full_pass() {
  const std::vector<std::byte> bytes = ModelFile().bytes();
  const auto model =
      std::make_shared<const Weights<Scalar>>(Weights<Scalar>::read(TensorFile(bytes, "f")));
  for (const Index features : {1, 2, 5}) {
    const Rows<Scalar> X = waves<Scalar>(11, features, 0.1);
    const Rows<Scalar> y = waves<Scalar>(11, 1, 0.2);
    const Rows<Scalar> query = waves<Scalar>(7, features, 0.3);
    Rows<Scalar> cached;
    ConditionedNetwork<Scalar>(model, X, span_of(y)).quantiles(query, cached);
    EXPECT_TRUE(have_same_bits(full_pass(*model, X, y, query), cached)) << features;
  }
}

TEST(ConditionedNetwork, GivesTheBitsOfAPassWithoutCaches) {
  expect_bits_of_full_pass<float>();
  expect_bits_of_full_pass<double>();
}

}  // namespace
}  // namespace oscbo::in_context
