// Behaviour with many observations or many pending points. The thresholds are set so low that a few
// points are enough.
#include <cstddef>
#include <set>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "learners/learner_options.hpp"
#include "numeric/random_stream.hpp"
#include "optimizer/optimizer_test_support.hpp"

namespace oscbo {
namespace {

using test::hill;
using test::kSquare;

std::vector<double> random_point(numeric::RandomStream& stream) {
  return {-5.0 + 15.0 * stream.uniform(), 15.0 * stream.uniform()};
}

/// with_random_points returns an optimizer that has been told `count` random points of the hill.
Optimizer with_random_points(const Config& config, int count) {
  Optimizer optimizer(kSquare, config);
  numeric::RandomStream stream(1, numeric::Purpose::initial_design);
  for (int i = 0; i < count; ++i) {
    const std::vector<double> x = random_point(stream);
    optimizer.tell(x, hill(x));
  }
  return optimizer;
}

Config growing_by_a_fifth(const std::string& method) {
  Config config = method_config(method);
  config.edit<learners::RefitOptions>() = {.growth = 0.2, .after = 20};
  return config;
}

// --- batches -----------------------------------------------------------------------------------

TEST(Batch, IsAskedForOnePointAfterTheOther) {
  for (const char* method : {"auto", "oscbo", "sobol"}) {
    Optimizer together = test::after_rounds(8, test::short_config(method));
    Optimizer in_turn = together;
    const std::vector<Suggestion> batch = together.ask(4);
    ASSERT_EQ(batch.size(), 4U);
    std::set<std::vector<double>> points;
    for (const Suggestion& next : batch) {
      test::expect_same(next, in_turn.ask());
      points.insert(next.x);
    }
    EXPECT_EQ(points.size(), 4U);
    EXPECT_EQ(together.trials().size(), 12U);
  }
}

TEST(Batch, OfNoPointsIsRefused) {
  Optimizer optimizer = test::after_rounds(5);
  for (const int count : {0, -1, 10001}) {
    try {
      optimizer.ask(count);
      ADD_FAILURE() << count << " was accepted";
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::invalid_value);
      EXPECT_EQ(error.field(), "count");
    }
  }
  EXPECT_EQ(optimizer.trials().size(), 5U);
}

// --- kept models -------------------------------------------------------------------------------

std::vector<test::Composition> kept_compositions() {
  std::vector<test::Composition> list;
  const std::vector<std::string> kept{"refit.growth=0.3", "refit.after=6"};
  for (const std::string& method : test::methods_with_model()) {
    list.push_back(test::composed(method, kept));
  }
  for (const char* setting : {"scgp.condition=train", "acquisition=thompson"}) {
    list.push_back(test::composed("scgp", {kept[0], kept[1], setting}));
  }
  for (const char* setting : {"x.normalise=data", "kernel=ibnn", "acquisition.solver=bfgs"}) {
    list.push_back(test::composed("oscbo", {kept[0], kept[1], setting}));
  }
  for (test::Composition& composition : list)
    composition.config.edit<learners::LearnerOptions>().adam_steps = 5;
  return list;
}

class KeptModelOf : public testing::TestWithParam<test::Composition> {};
INSTANTIATE_TEST_SUITE_P(EveryComposition, KeptModelOf, testing::ValuesIn(kept_compositions()),
                         test::test_name);

/// An optimizer, its pending points, and whether its owner looks at everything all the time.
class Owner {
 public:
  Owner(const Config& config, bool is_curious)
      : optimizer_(kSquare, config), is_curious_(is_curious) {}

  [[nodiscard]] std::vector<Suggestion> ask(int count) {
    look(1);
    std::vector<Suggestion> batch = optimizer_.ask(count);
    for (const Suggestion& next : batch) pending_.push_back(next);
    look(2);
    return batch;
  }

  /// tell tells the value of one pending point.
  void tell(std::size_t draw) {
    if (pending_.empty()) return;
    const auto chosen = pending_.begin() + static_cast<std::ptrdiff_t>(draw % pending_.size());
    optimizer_.tell(chosen->trial, hill(chosen->x));
    pending_.erase(chosen);
    look(3);
  }

  void tell_extra(const std::vector<double>& x) {
    optimizer_.tell(x, hill(x));
    look(4);
  }

 private:
  /// look does something that must leave no trace.
  void look(std::size_t what) {
    if (!is_curious_) return;
    optimizer_.fit();
    if (optimizer_.rounds() > 0) test::prediction_at(optimizer_, {1.0, 2.0});
    if ((what + optimizer_.log().size()) % 3 == 0) optimizer_ = Optimizer(optimizer_);
    if ((what + optimizer_.log().size()) % 5 == 0) {
      optimizer_ = Optimizer::replay(Space::of_box(kSquare), optimizer_.config(), /*seed=*/0,
                                     optimizer_.log());
    }
  }

  Optimizer optimizer_;
  bool is_curious_;
  std::vector<Suggestion> pending_;
};

// Only asks and tells may leave a trace. When and how often the model was looked at must not
// matter.
TEST_P(KeptModelOf, DoesNotDependOnWhenItWasLookedAt) {
  Owner plain(GetParam().config, /*is_curious=*/false);
  Owner curious(GetParam().config, /*is_curious=*/true);
  numeric::RandomStream stream(3, numeric::Purpose::initial_design);
  for (int i = 0; i < 30; ++i) {
    const std::size_t action = stream.below(4);
    const std::vector<double> x = random_point(stream);
    const std::size_t draw = stream.below(1000);
    if (action == 0) {
      const int count = 1 + static_cast<int>(draw % 3);
      const std::vector<Suggestion> expected = plain.ask(count);
      const std::vector<Suggestion> batch = curious.ask(count);
      for (std::size_t k = 0; k < batch.size(); ++k) test::expect_same(batch[k], expected[k]);
    } else {
      for (Owner* owner : {&plain, &curious}) {
        if (action == 1) owner->tell_extra(x);
        if (action > 1) owner->tell(draw);
      }
    }
  }
}

TEST(KeptModel, HasTheLengthscalesOfItsLastFit) {
  Optimizer optimizer = with_random_points(growing_by_a_fifth("oscbo"), 30);
  const auto lengthscales = [&] {
    const Suggestion next = optimizer.ask();
    optimizer.tell(next.trial, hill(next.x));
    return next.prediction->lengthscales;
  };
  const std::vector<double> learned = lengthscales();
  for (int n = 31; n < 36; ++n) EXPECT_EQ(lengthscales(), learned) << n;
  EXPECT_NE(lengthscales(), learned) << "36 are a fifth more than 30";
}

// The comparison is a model of equally many points that has just learned the same lengthscales.
TEST(KeptModel, PredictsAsOneMadeAtOnce) {
  Config config = growing_by_a_fifth("gp-ucb");
  Optimizer kept = with_random_points(config, 30);
  kept.tell(kept.ask().trial, 0.5);
  for (const Trial& trial : kept.trials()) EXPECT_TRUE(trial.y());
  const Prediction grown = test::prediction_at(kept, {1.0, 2.0});
  config.edit<learners::RefitOptions>().growth = 0.0;
  Optimizer fresh(kSquare, config);
  for (const Trial& trial : kept.trials()) fresh.tell(trial.x, *trial.y());
  const Prediction made_at_once = test::prediction_at(fresh, {1.0, 2.0});
  EXPECT_NEAR(grown.mean, made_at_once.mean, 1e-9);
  EXPECT_NEAR(grown.sd, made_at_once.sd, 1e-9);
}

TEST(KeptModel, FollowsTheUnitsOfLaterObservations) {
  for (const char* method : {"auto", "oscbo"}) {
    Optimizer optimizer = with_random_points(growing_by_a_fifth(method), 30);
    optimizer.ask();
    optimizer.tell(std::vector{-4.9, 14.9}, 1e6);  // beside it, the other values hardly count
    const Prediction there = test::prediction_at(optimizer, {-4.9, 14.9});
    EXPECT_GT(there.mean, 1e5) << method;
    EXPECT_TRUE(std::isfinite(there.sd)) << method;
    test::run(optimizer, 3, hill);
  }
}

// --- memory ------------------------------------------------------------------------------------

TEST(Memory, OfAModelIsTwoAndAHalfSquaresAtMost) {
  for (const char* method : {"auto", "gp-ucb-mll"}) {
    Config config = method_config(method);
    config.edit<learners::RefitOptions>().growth = 0.1;
    config.edit<learners::LearnerOptions>().solver = learners::LearnerOptions::Solver::exact;
    Optimizer optimizer = with_random_points(config, 500);
    for (double n = 500; n < 503; ++n) {
      const Suggestion next = optimizer.ask();
      EXPECT_GT(static_cast<double>(optimizer.model_bytes()), 2.0 * n * n * sizeof(double))
          << method;
      EXPECT_LE(static_cast<double>(optimizer.model_bytes()), 2.5 * n * n * sizeof(double))
          << method;
      optimizer.tell(next.trial, hill(next.x));
    }
  }
}

TEST(Memory, IsRefusedWhereTheModelWouldTakeMoreThanGranted) {
  for (const char* method : {"auto", "oscbo"}) {
    Config config = method_config(method);
    config.memory = 0.01;
    config.edit<learners::LearnerOptions>().adam_steps = 2;
    const int enough = method == std::string("auto") ? 539 : 374;
    Optimizer optimizer = with_random_points(config, enough);
    EXPECT_NO_THROW(optimizer.ask()) << method;
    for (int i = 0; i < 2; ++i) optimizer.tell(std::vector{1.0 + i, 2.0}, 0.5);
    try {
      optimizer.ask();
      ADD_FAILURE() << method << " was accepted";
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::invalid_value);
      EXPECT_EQ(error.field(), "memory");
      EXPECT_TRUE(std::string(error.what()).ends_with(fmt::format("enough for {}", enough)))
          << error.what();
    }
    // Nothing is lost: with more memory, the log continues.
    EXPECT_EQ(optimizer.trials().size(), static_cast<std::size_t>(enough) + 3);
    config.memory = 1.0;
    Optimizer larger =
        Optimizer::replay(Space::of_box(kSquare), config, /*seed=*/0, optimizer.log());
    EXPECT_TRUE(larger.ask().prediction) << method;
  }
}

}  // namespace
}  // namespace oscbo
