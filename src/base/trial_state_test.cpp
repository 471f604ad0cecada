#include "oscbo/trial_state.hpp"

#include <gtest/gtest.h>

namespace oscbo {
namespace {

// Databases, JSON and Python have these names.
TEST(TrialState, HasStoredNames) {
  EXPECT_EQ(to_string(TrialState::pending), "pending");
  EXPECT_EQ(to_string(TrialState::complete), "complete");
  EXPECT_EQ(to_string(TrialState::failed), "failed");
  EXPECT_EQ(to_string(TrialState::abandoned), "abandoned");
}

}  // namespace
}  // namespace oscbo
