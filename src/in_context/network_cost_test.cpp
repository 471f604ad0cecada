// What a prediction costs: the multiply-adds of its products, counted while they are done.
#include <memory>
#include <string>

#include <gtest/gtest.h>

#include "in_context/in_context_test_support.hpp"
#include "in_context/network.hpp"
#include "in_context/random_model_test_support.hpp"
#include "numeric/parallel.hpp"

namespace oscbo::in_context {
namespace {

/// The multiply-adds that the formulas of the network need, with n points in the context.
class Formulas {
 public:
  Formulas(const ModelConfig& config, Index context, Index features)
      : config_(config),
        n_(context),
        features_(features),
        E_(config.embed_dim),
        D_(config.row_width()) {}

  /// A candidate, given the keys and values of the context.
  [[nodiscard]] Index candidate() const {
    const Index encoder = features_ * kFeatureGroup * E_;
    const Index column = config_.column_blocks * features_ * row_of_block(E_, inducing());
    const Index icl = config_.icl_blocks * (row_of_block(D_, n_) + gate(D_));
    const Index decoder = 2 * D_ * D_ + 2 * D_ * config_.quantiles;
    return encoder + column + row_stage() + icl + decoder;
  }

  /// The keys and values of the context. Its rows are not queries in the last block.
  [[nodiscard]] Index context() const {
    const Index encoders = features_ * n_ * (kFeatureGroup + 1) * E_ + n_ * D_;
    const Index queries = inducing() * (E_ * E_ + gate(E_)) + factors(E_);
    const Index gather =
        n_ * keys(E_) + inducing() * (row_of_block(E_, n_) - E_ * E_);  // queries are known
    const Index scatter = inducing() * keys(E_) + n_ * row_of_block(E_, inducing());
    const Index column = config_.column_blocks * (queries + features_ * (gather + scatter));
    const Index icl = config_.icl_blocks * (n_ * keys(D_) + factors(D_)) +
                      (config_.icl_blocks - 1) * n_ * (row_of_block(D_, n_) + gate(D_));
    return encoders + column + n_ * row_stage() + icl;
  }

 private:
  [[nodiscard]] Index inducing() const { return config_.inducing_points; }

  /// A row that attends to `keys`: its query, attention, output and feed-forward network.
  [[nodiscard]] Index row_of_block(Index width, Index keys) const {
    return (2 + 2 * config_.feed_forward_factor) * width * width + 2 * keys * width;
  }

  /// The key and the value of a row.
  [[nodiscard]] static Index keys(Index width) { return 2 * width * width; }

  /// The networks that scale the query of a row, and those that depend on the number of keys only.
  [[nodiscard]] static Index gate(Index width) { return 2 * width * kScalingWidth; }
  [[nodiscard]] static Index factors(Index width) { return (1 + width) * kScalingWidth; }

  /// In the last block, only the learned tokens are queries.
  [[nodiscard]] Index row_stage() const {
    const Index tokens = features_ + config_.row_cls;
    const Index queries = (config_.row_blocks - 1) * tokens + config_.row_cls;
    return queries * row_of_block(E_, tokens) + config_.row_blocks * tokens * keys(E_);
  }

  ModelConfig config_;
  Index n_;
  Index features_;
  Index E_;
  Index D_;
};

/// Returns how many multiply-adds the work does on this thread.
template <class Work>
Index multiply_adds_of(const Work& work) {
  const std::int64_t before = multiply_adds_done();
  work();
  return multiply_adds_done() - before;
}

void expect_cost_of_formulas(const Metadata& metadata, Index context, Index features) {
  const numeric::ThreadLimit limit(1);
  const std::vector<std::byte> bytes = ModelFile(metadata).bytes();
  const auto weights =
      std::make_shared<const Weights<float>>(Weights<float>::read(TensorFile(bytes, "f")));
  const Formulas formulas(weights->config, context, features);
  const Rows<float> X = waves<float>(context, features, 0.1);
  const Rows<float> y = waves<float>(context, 1, 0.2);
  EXPECT_EQ(multiply_adds_of([&] { ConditionedNetwork<float>(weights, X, span_of(y)); }),
            formulas.context());
  constexpr Index kCandidates = 5;
  const ConditionedNetwork<float> network(weights, X, span_of(y));
  Rows<float> quantiles;
  EXPECT_EQ(multiply_adds_of(
                [&] { network.quantiles(waves<float>(kCandidates, features, 0.3), quantiles); }),
            kCandidates * formulas.candidate());
}

TEST(NetworkCost, IsThatOfTheFormulas) {
  expect_cost_of_formulas(small_metadata(), 7, 3);
  const Metadata other = small_metadata_with({{"embed_dim", "12"},
                                              {"col_num_blocks", "1"},
                                              {"col_num_inds", "9"},
                                              {"row_num_blocks", "3"},
                                              {"row_num_cls", "3"},
                                              {"icl_num_blocks", "4"},
                                              {"ff_factor", "3"}});
  expect_cost_of_formulas(other, 1, 1);
  expect_cost_of_formulas(other, 20, 5);
}

// The budget is that of TabICLv2: 28.3 million for a candidate, and 3.84 billion for the context
// without the queries of the inducing vectors, which are another 0.3 %.
TEST(NetworkCost, KeepsTheBudgetOfTheModelOfFullSize) {
  const Metadata full = small_metadata_with({{"embed_dim", "128"},
                                             {"col_num_blocks", "3"},
                                             {"col_nhead", "8"},
                                             {"col_num_inds", "128"},
                                             {"row_num_blocks", "3"},
                                             {"row_nhead", "8"},
                                             {"row_num_cls", "4"},
                                             {"icl_num_blocks", "12"},
                                             {"icl_nhead", "8"},
                                             {"num_quantiles", "999"}});
  const Formulas formulas(ModelConfig::from_metadata(full, "f"), /*context=*/110, /*features=*/6);
  EXPECT_EQ(formulas.candidate(), 28325120);
  EXPECT_EQ(formulas.context(), 3852154816);
}

}  // namespace
}  // namespace oscbo::in_context
