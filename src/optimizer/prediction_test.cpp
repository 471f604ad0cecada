#include "oscbo/prediction.hpp"

#include <string>

#include <gtest/gtest.h>

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

}  // namespace
}  // namespace oscbo
