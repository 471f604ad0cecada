#include "optimizer/initial_design.hpp"

#include <algorithm>
#include <cmath>
#include <set>

#include <gtest/gtest.h>

#include "optimizer/optimizer_test_support.hpp"

namespace oscbo {
namespace {

constexpr std::size_t kDesignDimension = 3;
constexpr std::size_t kDesignPoints = 10;

using space::Uniforms;

std::vector<Uniforms> design(DataOptions::Design law, std::uint64_t seed,
                             std::size_t count = kDesignPoints) {
  std::vector<Uniforms> points;
  for (std::size_t i = 0; i < count; ++i) {
    points.push_back(initial_point(law, kDesignDimension, kDesignPoints, i, seed));
  }
  return points;
}

class EveryLaw : public testing::TestWithParam<DataOptions::Design> {};
INSTANTIATE_TEST_SUITE_P(All, EveryLaw,
                         testing::Values(DataOptions::Design::sobol, DataOptions::Design::uniform,
                                         DataOptions::Design::lhs));

TEST_P(EveryLaw, FillsTheUnitCubeWithDistinctPoints) {
  const auto points = design(GetParam(), 1, 3 * kDesignPoints);  // more than there are strata
  for (const Uniforms& point : points) {
    ASSERT_EQ(point.size(), kDesignDimension);
    for (const double u : point.entries()) {
      EXPECT_GE(u, 0.0);
      EXPECT_LE(u, 1.0);
    }
  }
  EXPECT_EQ(std::set(points.begin(), points.end()).size(), points.size());
}

TEST_P(EveryLaw, BelongsToItsSeedAlone) {
  EXPECT_EQ(design(GetParam(), 1), design(GetParam(), 1));
  EXPECT_NE(design(GetParam(), 1), design(GetParam(), 2));
}

TEST_P(EveryLaw, IsTheSameForEveryMethod) {
  std::vector<std::vector<std::vector<double>>> designs;
  for (const MethodInfo& method : methods()) {
    Config config = test::loaded_config(method.name);
    config.edit<DataOptions>().design = GetParam();
    Optimizer optimizer(test::kSquare, config, 17);
    std::vector<std::vector<double>>& points = designs.emplace_back();
    for (int i = 0; i < config.initial_points; ++i) points.push_back(optimizer.ask().x);
    EXPECT_EQ(points, designs.front());
  }
}

TEST(InitialDesign, LawsDiffer) {
  const std::set<std::vector<Uniforms>> designs = {design(DataOptions::Design::sobol, 1),
                                                   design(DataOptions::Design::uniform, 1),
                                                   design(DataOptions::Design::lhs, 1)};
  EXPECT_EQ(designs.size(), 3U);
}

/// is_stratified returns whether, in every coordinate, each of `count` equal strata holds one of
/// the first `count` points.
bool is_stratified(DataOptions::Design law, std::uint64_t seed, std::size_t count) {
  const auto points = design(law, seed, count);
  for (std::size_t k = 0; k < kDesignDimension; ++k) {
    std::set<int> strata;
    for (const Uniforms& point : points) {
      strata.insert(static_cast<int>(std::floor(point[k] * static_cast<double>(count))));
    }
    if (strata.size() != count) return false;
  }
  return true;
}

TEST(InitialDesign, LatinHypercubeHasOnePointPerStratum) {
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    EXPECT_TRUE(is_stratified(DataOptions::Design::lhs, seed, kDesignPoints));
  }
  EXPECT_FALSE(is_stratified(DataOptions::Design::uniform, 0, kDesignPoints));
}

TEST(InitialDesign, SobolPointsAreStratifiedInPowersOfTwo) {
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    EXPECT_TRUE(is_stratified(DataOptions::Design::sobol, seed, 8));
  }
}

}  // namespace
}  // namespace oscbo
