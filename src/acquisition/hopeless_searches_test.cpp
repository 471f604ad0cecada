#include "acquisition/hopeless_searches.hpp"

#include <gtest/gtest.h>

namespace oscbo::acquisition {
namespace {

TEST(HopelessSearches, GainTooLittleToCatchUp) {
  HopelessSearches searches(3);
  for (int i = 0; i < 20; ++i) {
    searches.observe(0, 10.0);                          // leads
    searches.observe(1, 0.0);                           // stays where it is
    searches.observe(2, 0.2 * static_cast<double>(i));  // may still gain 16
  }
  EXPECT_FALSE(searches.contains(0));
  EXPECT_TRUE(searches.contains(1));
  EXPECT_FALSE(searches.contains(2));
  searches.observe(0, 100.0);
  EXPECT_TRUE(searches.contains(2));
}

TEST(HopelessSearches, AreNeverStoppedInTheFirstDozenEvaluations) {
  HopelessSearches searches(2);
  searches.observe(0, 10.0);
  for (int i = 0; i < 11; ++i) {
    searches.observe(1, 0.0);
    EXPECT_FALSE(searches.contains(1)) << i;
  }
  searches.observe(1, 0.0);
  EXPECT_TRUE(searches.contains(1));
}

TEST(HopelessSearches, AreJudgedByTheirBestValuesOnly) {
  HopelessSearches searches(2);
  searches.observe(0, 10.0);
  for (const double value : {0, 0, 0, 0, 0, 0, 0, 0, 8, 9, -5, -7}) searches.observe(1, value);
  EXPECT_FALSE(searches.contains(1));
}

}  // namespace
}  // namespace oscbo::acquisition
