#include "oscbo/prediction.hpp"

#include <string>

#include <gtest/gtest.h>

#include "oscbo/error.hpp"
#include "oscbo/optimizer.hpp"

namespace oscbo {
namespace {

template <class Record>
constexpr std::size_t kDeclared = std::tuple_size_v<decltype(RecordFields<Record>::kList)>;

// These do not compile if a record gets a new member. Declare that member as a field too.
TEST(RecordFields, AreAllMembers) {
  [[maybe_unused]] const auto [mean, sd, width, observation_sd, beta, acquisition, lengthscales,
                               multiplier, phase, jitter, objective_evaluations] = Prediction{};
  static_assert(kDeclared<Prediction> == 11);
  [[maybe_unused]] const auto [covered, sharpness_loss, calibration_loss, violation] = Feedback{};
  static_assert(kDeclared<Feedback> == 4);
  [[maybe_unused]] const auto [id, x, state, objectives, outcomes, is_acceptable] = Trial{};
  static_assert(kDeclared<Trial> == 6);
}

TEST(RecordFields, OfASuggestionAreAllButThoseOnTheSearch) {
  [[maybe_unused]] const auto [trial, x, prediction, outcomes, acceptable, succeeds,
                               failed_restarts, stream_step, notes] = Suggestion{};
  static_assert(kDeclared<Suggestion> == 9 - 3);
}

TEST(RecordFields, ReadAndWriteARecord) {
  Feedback feedback;
  for_each_field<Feedback>([&](const auto& field) {
    if (field.name == "violation") field.of(feedback) = true;
  });
  EXPECT_EQ(feedback.violation, 1.0);
  std::string names;
  for_each_field<Feedback>(
      [&](const auto& field) { names += field.of(feedback) == 0 ? "" : std::string(field.name); });
  EXPECT_EQ(names, "violation");
}

TEST(RecordFields, MayBeStoredByAnotherName) {
  for_each_field<Prediction>([](const auto& field) {
    const bool is_shortened = field.name == "objective_evaluations";
    EXPECT_EQ(field.stored, is_shortened ? "evaluations" : field.name);
  });
}

TEST(Quantities, AreTheObjectivesAndThenTheOutcomes) {
  constexpr Quantities kAll{.objectives = 2, .outcomes = 3};
  EXPECT_EQ(kAll.size(), 5U);
  EXPECT_TRUE(kAll.is_objective(1));
  EXPECT_FALSE(kAll.is_objective(2));
  EXPECT_EQ(kAll.of_outcome(0), 2U);
  EXPECT_EQ(kAll.outcome_of(kAll.of_outcome(2)), 2U);
  kAll.check(4);
  EXPECT_THROW(kAll.check(5), Error);
}

TEST(Quantities, GiveTheRecordsOfATrial) {
  Trial trial;
  trial.objectives = {{.value = 1.0}};
  trial.outcomes = {{.value = 2.0}, {.value = 3.0}};
  EXPECT_EQ(quantity_of(trial, 0).value, 1.0);
  EXPECT_EQ(quantity_of(trial, 2).value, 3.0);
  EXPECT_THROW(static_cast<void>(quantity_of(trial, 3)), Error);
}

}  // namespace
}  // namespace oscbo
