// Bad input is refused at the boundary with a code and a field. A refused call has no effect.
#include <gtest/gtest.h>

#include "optimizer/optimizer_test_support.hpp"
#include "oscbo/optimizer.hpp"

namespace oscbo {
namespace {

using test::expect_refused;
using test::kSquare;

using test::kInfinity;
using test::kNan;

TEST(Construction, RefusesBadBounds) {
  const auto construct = [](const std::vector<Bounds>& bounds) {
    return [=] { Optimizer{bounds}; };
  };
  const Bounds unit{.lower = 0.0, .upper = 1.0};
  expect_refused(construct({}), ErrorCode::invalid_value, "bounds");
  expect_refused(construct({unit, {.lower = 1.0, .upper = 1.0}}), ErrorCode::invalid_value,
                 "bounds[1]");
  expect_refused(construct({{.lower = 2.0, .upper = 1.0}}), ErrorCode::invalid_value, "bounds[0]");
  for (const double bad : {kInfinity, -kInfinity, kNan}) {
    expect_refused(construct({{.lower = bad, .upper = 1.0}}), ErrorCode::invalid_value,
                   "bounds[0]");
    expect_refused(construct({unit, unit, {.lower = 0.0, .upper = bad}}), ErrorCode::invalid_value,
                   "bounds[2]");
  }
}

/// Tells a measurement with the given numbers of values and variances. Returns the error message.
std::string refusal_of(std::size_t values, std::size_t variances) {
  Optimizer optimizer(kSquare);
  const Measurement measurement{
      .y = PerObjective(std::vector<double>(values)),
      .variance = PerObjective(std::vector<std::optional<double>>(variances))};
  try {
    optimizer.tell(optimizer.ask().trial, measurement);
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

TEST(Tell, SaysWhatThereIsTooMuchOf) {
  EXPECT_EQ(refusal_of(2, 1), "y: 2 values were told; the number of objectives is 1");
  EXPECT_EQ(refusal_of(1, 2), "variance: 2 variances were told; the number of objectives is 1");
  EXPECT_EQ(refusal_of(1, 0), "variance: 0 variances were told; the number of objectives is 1");
}

// Sobol points exist up to dimension 3667. More parameters are refused at construction, not by the
// first ask.
TEST(Construction, RefusesMoreParametersThanCanBeSearched) {
  const std::vector<Bounds> many(3668, Bounds{});
  expect_refused([&] { Optimizer{many}; }, ErrorCode::invalid_value, "parameters");
}

/// Runs `call`, which must be refused, and checks that the optimizer continues as if it had not
/// been called.
template <class Call>
void expect_refused_without_effect(const Optimizer& before, const Call& call, ErrorCode code,
                                   const std::string& field) {
  Optimizer untouched = before;
  Optimizer tried = before;
  expect_refused([&] { call(tried); }, code, field);
  EXPECT_EQ(tried.log().size(), before.log().size());
  test::expect_same(tried.trials(), before.trials());
  test::expect_same(tried.ask(), untouched.ask());
}

class RefusedTell : public testing::TestWithParam<std::tuple<test::Composition, int>> {
 protected:
  /// optimizer returns one in the initial design or after it. Trial 1 is told and the last trial is
  /// pending.
  static Optimizer optimizer() {
    const auto& [composition, rounds] = GetParam();
    Optimizer result = test::after_rounds(rounds, composition.config);
    result.ask();
    return result;
  }
};
INSTANTIATE_TEST_SUITE_P(InEitherStage, RefusedTell,
                         testing::Combine(testing::ValuesIn(test::compositions()),
                                          testing::Values(2, 9)));

TEST_P(RefusedTell, OfAValueThatIsNotFinite) {
  const Optimizer before = optimizer();
  const TrialId pending = before.trials().back().id;
  for (const double y : {kNan, kInfinity, -kInfinity}) {
    expect_refused_without_effect(
        before, [&](Optimizer& o) { o.tell(pending, y); }, ErrorCode::invalid_value, "y");
    expect_refused_without_effect(
        before,
        [&](Optimizer& o) {
          o.tell(std::vector{0.0, 1.0}, y);
        },
        ErrorCode::invalid_value, "y");
  }
}

TEST_P(RefusedTell, OfAPointThatIsNotInTheBox) {
  const Optimizer before = optimizer();
  const auto refused = [&](const std::vector<double>& x, const std::string& field) {
    expect_refused_without_effect(
        before, [&](Optimizer& o) { o.tell(x, 1.0); }, ErrorCode::invalid_value, field);
  };
  refused({}, "x");
  refused({1.0}, "x");
  refused({1.0, 2.0, 3.0}, "x");
  refused({-5.1, 2.0}, "x[0]");
  refused({1.0, 15.1}, "x[1]");
  refused({kNan, 2.0}, "x[0]");
  refused({1.0, -kInfinity}, "x[1]");
}

TEST_P(RefusedTell, OfATrialThatWasNeverAsked) {
  const Optimizer before = optimizer();
  expect_refused_without_effect(
      before, [&](Optimizer& o) { o.tell(before.trials().size(), 1.0); }, ErrorCode::unknown_name,
      "trial");
}

TEST_P(RefusedTell, OfATrialThatWasToldAlready) {
  Optimizer before = optimizer();
  const TrialId extra = before.tell(std::vector{1.0, 2.0}, 0.5);
  for (const TrialId told : {TrialId{1}, extra}) {
    expect_refused_without_effect(
        before, [&](Optimizer& o) { o.tell(told, 1.0); }, ErrorCode::conflict, "trial");
  }
}

TEST_P(RefusedTell, NamesTheValue) {
  Optimizer before = optimizer();
  try {
    before.tell(std::vector{1.0, 99.5}, 0.0);
    FAIL() << "accepted";
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("99.5"), std::string::npos);
    EXPECT_NE(std::string(error.what()).find("[0, 15]"), std::string::npos);
  }
}

}  // namespace
}  // namespace oscbo
