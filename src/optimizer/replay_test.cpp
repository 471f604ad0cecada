// An optimizer is a pure function of its configuration, its seed and the log of asks and tells. A
// copy and a replay continue exactly like the original.
#include <algorithm>

#include <gtest/gtest.h>

#include "gp/kernel_options.hpp"
#include "numeric/random_stream.hpp"
#include "online/game_options.hpp"
#include "online/width_options.hpp"
#include "optimizer/optimizer_test_support.hpp"
#include "oscbo/optimizer.hpp"

namespace oscbo {
namespace {

using numeric::Purpose;
using numeric::RandomStream;
using test::hill;
using test::kSquare;

Optimizer replayed(const Optimizer& optimizer, std::uint64_t seed) {
  return Optimizer::replay(optimizer.space(), optimizer.config(), seed, optimizer.log());
}

/// random_config draws a configuration from those that keep different kinds of state.
Config random_config(RandomStream& stream) {
  const std::vector<test::Composition> compositions = test::compositions();
  Config config = compositions[stream.below(compositions.size())].config;
  const Config composed = config;
  config.edit<gp::KernelOptions>().ard = stream.below(2) == 0;
  if (!test::is_accepted(config))
    config.edit<gp::KernelOptions>().ard = composed.get<gp::KernelOptions>().ard;
  config.edit<learners::LearnerOptions>().solver = stream.below(2) == 0
                                                       ? learners::LearnerOptions::Solver::adam
                                                       : learners::LearnerOptions::Solver::exact;
  config.edit<learners::LearnerOptions>().reset_moments = stream.below(2) == 0;
  config.edit<learners::LearnerOptions>().adam_steps = 10;
  config.edit<learners::LearnerOptions>().start =
      static_cast<learners::LearnerOptions::Start>(stream.below(3));
  config.edit<online::PrimalOptions>().initial_weight =
      static_cast<online::PrimalOptions::InitialWeight>(stream.below(4));
  config.edit<DataOptions>().inputs = static_cast<DataOptions::Inputs>(stream.below(2));
  // The width of the theory requires the bounds.
  if (config.get<DataOptions>().inputs == DataOptions::Inputs::data)
    config.edit<online::WidthOptions>().kind = online::WidthOptions::Kind::constant;
  if (!test::is_accepted(config))
    config.edit<DataOptions>().inputs = composed.get<DataOptions>().inputs;  // so does auto
  config.edit<DataOptions>().standardise = static_cast<DataOptions::Standardise>(stream.below(3));
  if (!test::is_accepted(config))
    config.edit<DataOptions>().standardise = DataOptions::Standardise::none;
  config.edit<DataOptions>().loss_statistics =
      static_cast<DataOptions::LossStatistics>(stream.below(2));
  if (!test::is_accepted(config))
    config.edit<DataOptions>().loss_statistics = composed.get<DataOptions>().loss_statistics;
  config.edit<online::RecoveryOptions>().mode =
      static_cast<online::RecoveryOptions::Mode>(stream.below(3));
  config.edit<online::RecoveryOptions>().initial_violation = stream.below(4) == 0 ? 1e4 : 0.0;
  config.budget = 8;
  return config;
}

/// predict_somewhere asks the model for a prediction, if there is a model.
void predict_somewhere(Optimizer& optimizer) {
  try {
    static_cast<void>(optimizer.predict(std::vector<std::vector<double>>{{1.0, 2.0}, {9.0, 3.0}}));
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::conflict) << error.what();
  }
}

/// random_step does one random step: an ask, the end of any pending trial, or an observation that
/// was not asked for. Sometimes a fit or a prediction comes first; these are not in the log. The
/// same stream makes the same choices for optimizers in the same state.
void random_step(Optimizer& optimizer, RandomStream& stream) {
  if (stream.below(6) == 0) optimizer.fit();
  if (stream.below(6) == 0) predict_somewhere(optimizer);
  std::vector<TrialId> pending;
  for (const Trial& trial : optimizer.trials()) {
    if (trial.state == TrialState::pending) pending.push_back(trial.id);
  }
  const std::size_t action = stream.below(8);
  if (action == 0) {
    const std::vector<double> x = {-5.0 + 15.0 * stream.uniform(), 15.0 * stream.uniform()};
    optimizer.tell(x, hill(x));
  } else if (action <= 3 && !pending.empty()) {
    const TrialId trial = pending[stream.below(pending.size())];
    const double noise = 0.1 * stream.normal();
    if (stream.below(5) == 0) {
      optimizer.tell_failed(trial);
    } else {
      optimizer.tell(trial, hill(optimizer.trials()[trial].x) + noise);
    }
  } else {
    optimizer.ask();
  }
}

class RandomSequence : public testing::TestWithParam<int> {};
INSTANTIATE_TEST_SUITE_P(OfAsksAndTells, RandomSequence, testing::Range(0, 300));

TEST_P(RandomSequence, IsContinuedByCopyAndReplayAlike) {
  const auto seed = static_cast<std::uint64_t>(GetParam());
  RandomStream stream(seed, Purpose::observation_noise);
  Optimizer original(kSquare, random_config(stream), seed);
  const std::size_t steps = 5 + stream.below(25);
  for (std::size_t i = 0; i < steps; ++i) random_step(original, stream);

  Optimizer copy = original;
  Optimizer replay = replayed(original, seed);
  test::expect_same(replay.trials(), original.trials());
  for (int i = 0; i < 4; ++i) {
    const Suggestion expected = original.ask();
    test::expect_same(copy.ask(), expected);
    test::expect_same(replay.ask(), expected);
    RandomStream same = stream;
    random_step(copy, same);
    same = stream;
    random_step(replay, same);
    random_step(original, stream);
  }
  test::expect_same(copy.trials(), original.trials());
  test::expect_same(replay.trials(), original.trials());
}

TEST(Copy, LeavesTheOriginalAlone) {
  Optimizer original = test::after_rounds(8);
  Optimizer untouched = original;
  Optimizer copy = original;
  test::run(copy, 3, [](const std::vector<double>& x) { return -10.0 * hill(x); });
  test::expect_same(original.ask(), untouched.ask());
}

TEST(Copy, IsAssignedAndMovedAsAValue) {
  const Optimizer source = test::after_rounds(8);
  Optimizer expected = source;
  Optimizer assigned(kSquare, test::short_config("gp-ucb-mll"), 99);
  assigned = source;
  Optimizer moved = std::move(assigned);
  test::expect_same(moved.ask(), expected.ask());
}

class EveryComposition : public testing::TestWithParam<test::Composition> {};
INSTANTIATE_TEST_SUITE_P(All, EveryComposition, testing::ValuesIn(test::compositions()),
                         test::test_name);

TEST_P(EveryComposition, IsRepeatedByAReplayAndContinuedByItAndByACopy) {
  Optimizer original = test::after_rounds(14, GetParam().config, 6);
  const Suggestion pending = original.ask();
  Optimizer copy = original;
  Optimizer replay = replayed(original, 6);
  test::expect_same(replay.trials(), original.trials());
  for (Optimizer* optimizer : {&original, &copy, &replay}) {
    optimizer->ask();
    optimizer->tell(pending.trial, hill(pending.x));
    test::run(*optimizer, 3, hill);
  }
  test::expect_same(copy.trials(), original.trials());
  test::expect_same(replay.trials(), original.trials());
}

TEST_P(EveryComposition, ContinuesFromEveryPrefixOfItsLogAsTheRunDid) {
  const Optimizer optimizer = test::after_rounds(9, GetParam().config);
  const std::vector<Event>& log = optimizer.log();
  for (std::size_t length = 0; length < log.size(); length += 2) {  // an ask and its tell
    Optimizer prefix = Optimizer::replay(Space::of_box(kSquare), optimizer.config(), 0,
                                         std::span(log).first(length));
    EXPECT_EQ(prefix.ask().x, log[length].x);
  }
}

// fit() is half of an ask and not an event of its own. It is not in the log and must leave no
// trace.
TEST_P(EveryComposition, IsNotMovedByAFitWithoutASuggestion) {
  Optimizer plain = test::after_rounds(6, GetParam().config);
  Optimizer impatient = plain;
  impatient.fit();
  for (Optimizer* optimizer : {&plain, &impatient}) optimizer->tell(std::vector{1.0, 2.0}, 0.5);
  test::expect_same(impatient.ask(), plain.ask());
}

TEST_P(EveryComposition, IsNotMovedByAFitWithoutASuggestionAfterFailures) {
  Optimizer plain = test::after_rounds(6, GetParam().config);
  for (int i = 0; i < 2; ++i) plain.tell_failed(plain.ask().trial);
  Optimizer impatient = plain;
  impatient.fit();
  for (Optimizer* optimizer : {&plain, &impatient}) optimizer->tell(std::vector{1.0, 2.0}, 0.5);
  test::expect_same(impatient.ask(), plain.ask());
}

TEST(Replay, RefusesALogThatDoesNotFit) {
  const std::vector<Event> outside = {{.kind = Event::Kind::ask, .trial = 0, .x = {99.0, 0.0}}};
  test::expect_refused(
      [&] { static_cast<void>(Optimizer::replay(Space::of_box(kSquare), {}, 0, outside)); },
      ErrorCode::invalid_value, "x[0]");
  const std::vector<Event> unknown = {{.kind = Event::Kind::tell, .trial = 3, .x = {}, .y = 1.0}};
  test::expect_refused(
      [&] { static_cast<void>(Optimizer::replay(Space::of_box(kSquare), {}, 0, unknown)); },
      ErrorCode::unknown_name, "trial");
}

// Another processor or an older version may have proposed the point. Stored logs must stay
// readable.
TEST(Replay, AcceptsPointsThatMissABoundByRounding) {
  const double outside = std::nextafter(kSquare[0].lower, -1e9);
  for (const Event::Kind kind :
       {Event::Kind::ask, Event::Kind::tell_extra, Event::Kind::fail_extra, Event::Kind::queue}) {
    const std::vector<Event> log = {{.kind = kind, .trial = 0, .x = {outside, 0.0}, .y = 1.0}};
    EXPECT_NO_THROW(static_cast<void>(Optimizer::replay(Space::of_box(kSquare), {}, 0, log)));
  }
  Optimizer optimizer(kSquare, {}, 0);
  test::expect_refused(
      [&] {
        optimizer.tell(std::vector{outside, 0.0}, 1.0);
      },
      ErrorCode::invalid_value, "x[0]");
}

TEST(Replay, RefusesTrialsThatDoNotFollowOneAnother) {
  for (const Event::Kind kind : {Event::Kind::ask, Event::Kind::tell_extra}) {
    const std::vector<Event> log = {{.kind = kind, .trial = 5, .x = {1.0, 2.0}, .y = 1.0}};
    try {
      static_cast<void>(Optimizer::replay(Space::of_box(kSquare), {}, 0, log));
      ADD_FAILURE() << "accepted";
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::invalid_value) << error.what();
    }
  }
}

}  // namespace
}  // namespace oscbo
