#include "optimizer/trial_history.hpp"

#include <gtest/gtest.h>

#include "optimizer/optimizer_test_support.hpp"
#include "space/domain.hpp"

namespace oscbo {
namespace {

using test::expect_refused;

Space one_number(double upper = 1.0) {
  return Space({.parameters = {{.name = "a", .lower = 0.0, .upper = upper}}});
}

TrialHistory empty_history() { return {one_number(), 1}; }

TEST(TrialHistory, KeepsATrialFromAskToTell) {
  TrialHistory history = empty_history();
  EXPECT_EQ(history.ask({0.25}, /*is_given=*/true).state, TrialState::pending);
  const Trial& told = history.tell(0, {.y = 3.0, .variance = 0.5});
  EXPECT_EQ(told.state, TrialState::complete);
  EXPECT_EQ(told.y(), 3.0);
  EXPECT_EQ(told.variance(), 0.5);
  EXPECT_EQ(history.coordinates(0), (space::Coordinates{0.25}));
  EXPECT_EQ(history.observed(), std::vector<TrialId>{0});
  ASSERT_EQ(history.log().size(), 2U);
  EXPECT_TRUE(history.log()[0].given);
  EXPECT_EQ(history.log()[1].kind, Event::Kind::tell);
  EXPECT_EQ(history.log()[1].x, std::vector{0.25});
}

TEST(TrialHistory, ListsObservationsInTheOrderOfTheirTells) {
  TrialHistory history = empty_history();
  for (const double a : {0.1, 0.2, 0.3}) history.ask({a}, false);
  history.tell(2, {.y = 1.0});
  history.fail(1);
  history.tell_extra({0.9}, {.y = 2.0});
  history.tell(0, {.y = 3.0});
  EXPECT_EQ(history.observed(), (std::vector<TrialId>{2, 3, 0}));
}

TEST(TrialHistory, RefusesTrialsThatAreNotPending) {
  TrialHistory history = empty_history();
  for (const double a : {0.1, 0.2, 0.3}) history.ask({a}, false);
  history.tell(0, {.y = 1.0});
  history.fail(1);
  history.abandon(2);
  for (TrialId id = 0; id < 3; ++id) {
    expect_refused([&] { history.abandon(id); }, ErrorCode::conflict, "trial");
  }
  expect_refused([&] { history.fail(3); }, ErrorCode::unknown_name, "trial");
  EXPECT_EQ(history.log().size(), 6U) << "a refused change leaves no trace";
}

TEST(TrialHistory, FreesThePointOfAnAbandonedTrial) {
  TrialHistory history = empty_history();
  const space::Region region(history.space().domain());
  history.ask({0.5}, false);
  EXPECT_TRUE(history.taken().contains(region, {0.5}));
  EXPECT_EQ(history.lasting(), 1U);
  history.abandon(0);
  EXPECT_FALSE(history.taken().contains(region, {0.5}));
  EXPECT_EQ(history.lasting(), 0U);
}

TEST(TrialHistory, HasTheCoordinatesOfTheSpaceInForce) {
  TrialHistory history = empty_history();
  history.ask({0.5}, false);
  history.widen(one_number(2.0));
  EXPECT_EQ(history.coordinates(0), (space::Coordinates{0.25}));
  const space::Region region(history.space().domain());
  EXPECT_TRUE(history.taken().contains(region, {0.25}));
  EXPECT_FALSE(history.taken().contains(region, {0.5}));
  EXPECT_EQ(history.log().back().space, one_number(2.0).to_json());
}

TEST(TrialHistory, KnowsWhetherEveryValueWasKnownAtTheNextAsk) {
  TrialHistory history = empty_history();
  history.ask({0.1}, false);
  history.tell(0, {.y = 1.0});
  history.tell_extra({0.2}, {.y = 1.0});
  history.ask({0.3}, false);
  EXPECT_TRUE(history.asked_one_at_a_time());
  history.ask({0.4}, false);
  EXPECT_FALSE(history.asked_one_at_a_time());
}

}  // namespace
}  // namespace oscbo
