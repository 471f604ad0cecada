#include "in_context/member_orders.hpp"

#include <set>
#include <string>

#include "in_context/in_context_test_support.hpp"

namespace oscbo::in_context {
namespace {

using MemberOrdersReference = ReferenceTest;

// Python 3: random.seed(42); [random.getrandbits(32) for _ in range(3)]
TEST(PythonRandom, DrawsTheBitsOfPython) {
  PythonRandom random(42);
  EXPECT_EQ(random.bits(), 2746317213U);
  EXPECT_EQ(random.bits(), 478163327U);
  EXPECT_EQ(random.bits(), 107420369U);
}

TEST(PythonRandom, DrawsIntegersBelowALimit) {
  PythonRandom random(7);
  std::set<std::size_t> drawn;
  for (int i = 0; i < 200; ++i) drawn.insert(random.below(5));
  EXPECT_EQ(drawn, (std::set<std::size_t>{0, 1, 2, 3, 4}));
  EXPECT_EQ(random.below(1), 0U);
}

TEST(FeatureOrders, AreTheOnlyOneForOneFeature) {
  EXPECT_EQ(feature_orders(1, 4), (std::vector<FeatureOrder>{{0}}));
}

TEST(FeatureOrders, PutEachFeatureInEveryPlaceOnce) {
  constexpr std::size_t kFeatures = 9;
  const std::vector<FeatureOrder> orders = feature_orders(kFeatures, kFeatures);
  ASSERT_EQ(orders.size(), kFeatures);
  for (std::size_t c = 0; c < kFeatures; ++c) {
    std::set<std::size_t> row(orders[c].begin(), orders[c].end());
    std::set<std::size_t> column;
    for (const FeatureOrder& order : orders) column.insert(order[c]);
    EXPECT_EQ(row.size(), kFeatures);
    EXPECT_EQ(column.size(), kFeatures);
  }
}

TEST_F(MemberOrdersReference, AreThoseOfTheWrapper) {
  const nlohmann::json reference = parsed("permutations.json");
  std::size_t checked = 0;
  for (const auto& [features, orders] : reference.at("permutations").items()) {
    EXPECT_EQ(feature_orders(std::stoul(features), 4), orders.get<std::vector<FeatureOrder>>())
        << features;
    ++checked;
  }
  EXPECT_EQ(checked, 17U);
}

}  // namespace
}  // namespace oscbo::in_context
