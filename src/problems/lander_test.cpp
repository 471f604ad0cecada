// The reference values come from an independent simulation with the same physics engine, with the
// digits that it printed.
#include "problems/lander.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <map>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "numeric/quantile.hpp"
#include "numeric/random_stream.hpp"
#include "oscbo/error.hpp"
#include "oscbo/problem.hpp"
#include "problems/lander_problem.hpp"

namespace oscbo::lander {
namespace {

constexpr double kPublishedPush = 1000.0;

UniformDraws constant(double u) {
  return [u] { return u; };
}

std::vector<Step> steps_of(const std::vector<double>& weights, const UniformDraws& draws,
                           double push = kTaskPush) {
  std::vector<Step> steps;
  const Episode episode =
      fly(weights, draws, push, [&](const Step& step) { steps.push_back(step); });
  EXPECT_EQ(steps.back().number, episode.steps);
  EXPECT_EQ(steps.back().reward, episode.reward);
  return steps;
}

std::vector<double> engines_off() {
  std::vector<double> weights(kWeights, 0.0);
  weights[10] = weights[11] = kMaxWeight;
  return weights;
}

void expect_motion(const Observation& o, const std::array<double, 6>& expected, double tolerance) {
  const std::array<double, 6> motion = {o.x,          o.y,     o.velocity_x,
                                        o.velocity_y, o.angle, o.angular_velocity};
  for (std::size_t i = 0; i < motion.size(); ++i) {
    EXPECT_NEAR(motion[i], expected[i], tolerance) << "number " << i;
  }
}

TEST(Lander, HasTheMassesOfItsShapes) {
  const Mass hull = hull_mass();
  EXPECT_NEAR(hull.mass, 4.816667, 1e-6);
  EXPECT_NEAR(hull.inertia, 0.83331, 1e-5);
  EXPECT_NEAR(hull.centre_x, 0.0, 1e-6);
  EXPECT_NEAR(hull.centre_y, 0.101307, 1e-6);
  EXPECT_NEAR(leg_mass().mass, 0.0711111, 1e-7);
  EXPECT_NEAR(leg_mass().inertia, 0.0017909, 1e-7);
}

// The hull by hand: a rectangle of 34 x 10 pixels under a trapezoid of height 17 with sides 34 and
// 28. The density is 5, and a metre has 30 pixels.
TEST(Lander, HullMassIsAreaTimesDensity) {
  EXPECT_NEAR(hull_mass().mass, 5.0 * (34.0 * 10.0 + 17.0 * (34.0 + 28.0) / 2.0) / 900.0, 1e-6);
  EXPECT_NEAR(leg_mass().mass, 4.0 * 16.0 / 900.0, 1e-7);
}

// The draws are 0, 1/12, .. 11/12, so the heights are h_i = i / 12 * 20/3, with h_3 .. h_7 replaced
// by 10/3.
TEST(Lander, SmoothsTheTerrainAroundAFlatPad) {
  int drawn = 0;
  const std::vector<GroundVertex> ground = draw_terrain([&] { return drawn++ / 12.0; });
  EXPECT_EQ(drawn, 12);
  ASSERT_EQ(ground.size(), 11U);
  const double twelfth = 20.0 / 36.0;
  for (std::size_t i = 0; i < ground.size(); ++i) {
    EXPECT_DOUBLE_EQ(ground[i].x, 2.0 * static_cast<double>(i));
  }
  for (const std::size_t flat : {4U, 5U, 6U}) EXPECT_NEAR(ground[flat].y, 3.30, 1e-12);
  EXPECT_NEAR(ground[0].y, 0.33 * (11 + 0 + 1) * twelfth, 1e-12) << "the terrain wraps around";
  EXPECT_NEAR(ground[1].y, 0.33 * (0 + 1 + 2) * twelfth, 1e-12);
  EXPECT_NEAR(ground[3].y, 0.33 * (2 * twelfth + 20.0 / 3.0), 1e-12);
  EXPECT_NEAR(ground[10].y, 0.33 * (9 + 10 + 11) * twelfth, 1e-12);
}

TEST(LanderController, FollowsItsRulesOneByOne) {
  // The angle error is (clamp(x w0 + vx w1, w2) - angle) w4 - spin w5, and the height error is (w3
  // |x| - y) w6 - vy w7.
  std::vector<double> w = {1.0, 1.0, 0.25, 0.5, 1.0, 1.0, 1.0, 1.0, 0.75, 1.0, 0.125, 0.125};
  EXPECT_EQ(choose_action(w, {}), Action::none);
  EXPECT_EQ(choose_action(w, {.x = 0.5, .y = 1.0}), Action::left_engine) << "angle error 0.25";
  EXPECT_EQ(choose_action(w, {.x = -0.5, .y = 1.0}), Action::right_engine);
  EXPECT_EQ(choose_action(w, {.y = 1.0, .angle = 0.25}), Action::right_engine);
  EXPECT_EQ(choose_action(w, {.y = 1.0, .angular_velocity = -0.25}), Action::left_engine);
  EXPECT_EQ(choose_action(w, {.y = -0.25}), Action::main_engine);
  EXPECT_EQ(choose_action(w, {.velocity_y = -0.25}), Action::main_engine);
  EXPECT_EQ(choose_action(w, {.x = 1.0, .y = 0.25}), Action::left_engine)
      << "height error 0.25 does not exceed the angle error 0.25";
  EXPECT_EQ(choose_action(w, {.x = 1.0, .y = 0.125}), Action::main_engine) << "0.375 > 0.25";
  EXPECT_EQ(choose_action(w, {.y = -0.125}), Action::none) << "0.125 does not exceed w10";
  EXPECT_EQ(choose_action(w, {.y = 1.0, .angle = 0.125}), Action::none)
      << "0.125 does not exceed w11";
}

TEST(LanderController, OnlyBrakesIfALegTouches) {
  std::vector<double> w = {1.0, 1.0, 0.25, 0.5, 1.0, 1.0, 1.0, 1.0, 0.0, 1.0, 0.125, 0.125};
  for (const std::array<double, 2>& legs : {std::array{1.0, 0.0}, std::array{0.0, 1.0}}) {
    EXPECT_EQ(choose_action(w, {.y = -1.0, .angle = 1.0, .leg_touches = legs}), Action::none);
    EXPECT_EQ(choose_action(w, {.velocity_y = -0.25, .leg_touches = legs}), Action::main_engine);
    w[8] = 0.25;
    EXPECT_EQ(choose_action(w, {.leg_touches = legs}), Action::left_engine);
    w[8] = 0.0;
  }
}

TEST(LanderController, ReadsItsInstrumentsInSinglePrecision) {
  const std::vector<double> w = {0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.125};
  // 0.125 + 1e-9 is 0.125 as a float, which does not exceed the threshold.
  EXPECT_EQ(choose_action(w, {.angle = -(0.125 + 1e-9)}), Action::none);
  EXPECT_EQ(choose_action(w, {.angle = -(0.125 + 1e-7)}), Action::left_engine);
}

struct ConstantDrawCase {
  double u;
  std::array<double, 6> first;
  std::array<double, 6> at_step_10;
  double reward_at_step_10;
  Landing outcome;
  int steps;
  double reward;
  double reward_digit;
};

// Every draw is the same u. For u = 1/2 the ground is flat, there is no push, and engines are
// exact. If the angle of a leg counted from 0 instead of its own tilt, the craft would leave the
// view in the last case.
TEST(Lander, MatchesTheReferenceEpisodesWithoutRandomness) {
  const std::vector<ConstantDrawCase> cases = {
      {.u = 0.5,
       .first = {0, 1.410320, 0, -0.026667, 0.000007, 0},
       .at_step_10 = {0, 1.371544, 0, -0.292349, 0.000007, 0},
       .reward_at_step_10 = -22.69,
       .outcome = Landing::rested,
       .steps = 194,
       .reward = 239.98,
       .reward_digit = 0.01},
      {.u = 0.75,
       .first = {0.005987, 1.419396, 0.606430, 0.376671, -0.006922, -0.137187},
       .at_step_10 = {0.062148, 1.471777, 0.527867, 0.113939, 0.018719, 0.175962},
       .reward_at_step_10 = 10.57,
       .outcome = Landing::rested,
       .steps = 339,
       .reward = 274.2,
       .reward_digit = 0.1},
      {.u = 0.25,
       .first = {-0.005987, 1.401245, -0.606430, -0.430004, 0.006936, 0.137186},
       .at_step_10 = {-0.062142, 1.271482, -0.527788, -0.697534, -0.018681, -0.175881},
       .reward_at_step_10 = -1.75,
       .outcome = Landing::crashed,
       .steps = 75,
       .reward = -85.91,
       .reward_digit = 0.01}};
  for (const ConstantDrawCase& expected : cases) {
    SCOPED_TRACE(expected.u);
    const std::vector<Step> steps = steps_of(hand_written_weights(), constant(expected.u));
    expect_motion(steps.at(0).observation, expected.first, 1e-6);
    expect_motion(steps.at(10).observation, expected.at_step_10, 1e-6);
    EXPECT_NEAR(steps.at(10).reward, expected.reward_at_step_10, 0.005);
    const Episode episode = fly(hand_written_weights(), constant(expected.u), kTaskPush);
    EXPECT_EQ(episode.outcome, expected.outcome);
    EXPECT_EQ(episode.steps, expected.steps);
    EXPECT_NEAR(episode.reward, expected.reward, expected.reward_digit / 2);
  }
}

// At step 50 the legs are at rest against the hull. The speed is that of 51 steps of free fall: o3
// = -10 * 51/50 * (20/3) / 50 = -1.36.
TEST(Lander, FallsIfItsEnginesNeverFire) {
  const std::vector<Step> steps = steps_of(engines_off(), constant(0.5));
  EXPECT_NEAR(steps.at(50).observation.y, 0.61584, 1e-5);
  EXPECT_NEAR(steps.at(50).observation.velocity_y, -1.36000, 1e-5);
  for (const Step& step : steps) EXPECT_EQ(step.action, Action::none);
  const Episode episode = fly(engines_off(), constant(0.5), kTaskPush);
  EXPECT_EQ(episode.outcome, Landing::crashed);
  EXPECT_EQ(episode.steps, 69);
  EXPECT_NEAR(episode.reward, -124.06, 0.005);
}

TEST(Lander, LeavesTheViewOnEitherSide) {
  // The draws determine the push: the lowest draw pushes left, and the highest pushes right.
  for (const double draw : {0.0, 1.0}) {
    const std::vector<Step> steps = steps_of(engines_off(), constant(draw), 20.0 * kPublishedPush);
    const double x = steps.back().observation.x;
    EXPECT_EQ(x > 0.0, draw > 0.5) << x;
    EXPECT_GE(std::abs(x), 1.0);
    EXPECT_LT(std::abs(steps[steps.size() - 2].observation.x), 1.0) << "one step earlier";
    EXPECT_EQ(fly(engines_off(), constant(draw), 20.0 * kPublishedPush).outcome, Landing::left);
  }
}

TEST(Lander, UsesTheSameDrawsForAllWeights) {
  for (const std::vector<double>& weights : {hand_written_weights(), engines_off()}) {
    int drawn = 0;
    const Episode episode = fly(
        weights,
        [&] {
          ++drawn;
          return 0.5;
        },
        kTaskPush);
    EXPECT_EQ(drawn, 12 + 2 + 2 * (episode.steps + 1));
  }
}

/// The rewards of the steps, computed from observations only, sum to the return.
TEST(Lander, RewardIsTheGainInShapingMinusFuel) {
  const std::vector<Step> steps = steps_of(hand_written_weights(), terrain_draws(3));
  const auto shaping = [](const Observation& o) {
    return -100.0 *
               (std::hypot(o.x, o.y) + std::hypot(o.velocity_x, o.velocity_y) + std::abs(o.angle)) +
           10.0 * (o.leg_touches[0] + o.leg_touches[1]);
  };
  const std::map<Action, double> fuel = {{Action::none, 0.0},
                                         {Action::left_engine, 0.03},
                                         {Action::right_engine, 0.03},
                                         {Action::main_engine, 0.3}};
  for (std::size_t t = 1; t + 1 < steps.size(); ++t) {
    EXPECT_NEAR(steps[t].reward - steps[t - 1].reward,
                shaping(steps[t].observation) - shaping(steps[t - 1].observation) -
                    fuel.at(steps[t].action),
                1e-9);
  }
  EXPECT_NEAR(std::abs(steps.back().reward - steps[steps.size() - 2].reward), 100.0, 1e-9);
}

/// The initial 624 words of the Mersenne twister when seeded with an array of words (init_by_array
/// of Matsumoto and Nishimura).
class ArraySeed {
 public:
  using result_type = std::uint32_t;

  explicit ArraySeed(std::vector<std::uint32_t> key) : key_(std::move(key)) {}

  template <typename Iterator>
  void generate(Iterator first, Iterator last) const {
    std::vector<std::uint32_t> state(static_cast<std::size_t>(last - first));
    const auto size = static_cast<std::uint32_t>(state.size());
    state[0] = 19650218U;
    for (std::uint32_t i = 1; i < size; ++i) state[i] = 1812433253U * mixed(state[i - 1]) + i;
    std::uint32_t i = 1;
    const auto advance = [&] {
      if (++i < size) return;
      state[0] = state[size - 1];
      i = 1;
    };
    for (std::uint32_t k = 0; k < size; ++k, advance()) {
      const auto j = static_cast<std::uint32_t>(k % key_.size());
      state[i] = (state[i] ^ (mixed(state[i - 1]) * 1664525U)) + key_[j] + j;
    }
    for (std::uint32_t k = 1; k < size; ++k, advance()) {
      state[i] = (state[i] ^ (mixed(state[i - 1]) * 1566083941U)) - i;
    }
    state[0] = 0x80000000U;
    std::copy(state.begin(), state.end(), first);
  }

 private:
  static std::uint32_t mixed(std::uint32_t word) { return word ^ (word >> 30U); }

  std::vector<std::uint32_t> key_;
};

/// Doubles of 53 random bits: 27 from one word and 26 from the next.
UniformDraws twister_draws(const std::vector<std::uint32_t>& key) {
  ArraySeed seed(key);
  return [engine = std::mt19937(seed)]() mutable {
    const auto high = static_cast<double>(engine() >> 5U);
    const auto low = static_cast<double>(engine() >> 6U);
    return (high * 0x1p26 + low) * 0x1p-53;
  };
}

struct PublishedFlight {
  std::vector<std::uint32_t> key;
  std::vector<double> weights;
  Landing outcome;
  int steps;
  double reward;
};

// Five published controllers: they crash, hover, fly away, slam down and land.
TEST(Lander, MatchesPublishedControllers) {
  const std::vector<PublishedFlight> flights = {
      {.key = {3997521021U, 1533303125U},
       .weights = {0.43302354137170807, 0.4347569063236112, 0.9030431488833419, 0.4571912304653558,
                   0.16031696311264643, 0.42618502575658734, 0.06646770791282308,
                   0.007448066139267295, 0.41012140687808296, 0.11476564314453963,
                   0.7826389658545991, 0.31918239952190985},
       .outcome = Landing::crashed,
       .steps = 117,
       .reward = -186.7},
      {.key = {1256237568U, 1652335659U},
       .weights = {0.06803627803169543, 0.4287189458093279, 0.476930399661873, 0.5592808413250296,
                   0.5573280433913701, 0.5095367359357519, 0.7429874662019844, 0.7249766383642469,
                   0.1320130664358321, 0.7567430455054414, 0.014051753581426185,
                   0.07791685682019334},
       .outcome = Landing::timed_out,
       .steps = 1000,
       .reward = -44.7},
      {.key = {923131654U, 933396761U},
       .weights = {0.9679939623340275, 0.2721022418748966, 0.24515670795541378, 0.8011176119748256,
                   0.13565253791220666, 0.7385592285062779, 0.3511027202815271, 0.44112350462209715,
                   0.02897150418914718, 0.8063915664159489, 0.21076948458335876,
                   0.8336549469213406},
       .outcome = Landing::left,
       .steps = 97,
       .reward = -262.2},
      {.key = {2450907092U, 238501748U},
       .weights = {0.7605584916628452, 0.09770936735877278, 0.012443723883917679,
                   0.9793154713136014, 0.7693185448538669, 0.46137680182673924, 0.6242939767792566,
                   0.41012520079510484, 0.5981279203315495, 0.8882190266088754, 0.4184679411903651,
                   0.17956309170693419},
       .outcome = Landing::crashed,
       .steps = 56,
       .reward = -48.8},
      {.key = {2739863373U, 598274112U},
       .weights = {0.3408491530995111, 0.21393609845608644, 0.6957018757563389, 0.0,
                   0.9776271241238772, 0.2960463399024492, 0.7020102045624167, 1.006012538196605,
                   0.0, 0.0, 0.0, 0.0},
       .outcome = Landing::rested,
       .steps = 337,
       .reward = 275.8}};
  const UniformDraws seed_1 = twister_draws({2739863373U, 598274112U});
  EXPECT_NEAR(seed_1(), 0.8073904357, 5e-11);
  EXPECT_NEAR(seed_1(), 0.5145000720, 5e-11);
  for (const PublishedFlight& flight : flights) {
    const Episode episode = fly(flight.weights, twister_draws(flight.key), kPublishedPush);
    EXPECT_EQ(episode.outcome, flight.outcome);
    EXPECT_EQ(episode.steps, flight.steps);
    EXPECT_NEAR(episode.reward, flight.reward, 0.05);
  }
}

TEST(Lander, LegFlagsAreZeroOrOne) {
  for (std::size_t terrain = 0; terrain < 5; ++terrain) {
    bool touched = false;
    for (const Step& step : steps_of(hand_written_weights(), terrain_draws(terrain))) {
      for (const double flag : step.observation.leg_touches) {
        EXPECT_TRUE(flag == 0.0 || flag == 1.0);
        touched = touched || flag == 1.0;
      }
    }
    EXPECT_TRUE(touched) << "terrain " << terrain;
  }
}

/// The smallest vertical distance between a corner of the leg and the ground.
double gap_below(const Pose& leg, const std::vector<GroundVertex>& ground) {
  double gap = std::numeric_limits<double>::infinity();
  for (const GroundVertex& corner : leg_outline()) {
    const double x = leg.x + corner.x * std::cos(leg.angle) - corner.y * std::sin(leg.angle);
    const double y = leg.y + corner.x * std::sin(leg.angle) + corner.y * std::cos(leg.angle);
    for (std::size_t i = 1; i < ground.size(); ++i) {
      if (x < ground[i - 1].x || x > ground[i].x) continue;
      const double part = (x - ground[i - 1].x) / (ground[i].x - ground[i - 1].x);
      gap = std::min(gap, y - std::lerp(ground[i - 1].y, ground[i].y, part));
    }
  }
  return gap;
}

// Shapes touch if their distance at the end of the last step is at most the sum of their skins,
// 0.02 m. On terrain 0, leg 0 slides from one edge of the ground to the next. Its contact with the
// first edge ends, which clears its flag although it still stands on the second.
TEST(Lander, ALegThatLeavesOneEdgeCountsAsAirborne) {
  const std::vector<GroundVertex> ground = draw_terrain(terrain_draws(0));
  const std::vector<Step> steps = steps_of(hand_written_weights(), terrain_draws(0));
  int standing_but_off = 0;
  int flying_but_on = 0;
  for (std::size_t t = 1; t < steps.size(); ++t) {
    const double gap = gap_below(steps[t - 1].legs[0], ground);
    const bool on = steps[t].observation.leg_touches[0] != 0.0;
    if (gap < 0.017 && !on) ++standing_but_off;
    if (gap > 0.1 && on) ++flying_but_on;
  }
  EXPECT_GT(standing_but_off, 0);
  EXPECT_EQ(flying_but_on, 0);
}

TEST(Lander, ParallelFlightsAreTheSame) {
  const std::vector<Flight> alone = fly_terrains(hand_written_weights(), 4);
  std::vector<std::vector<Flight>> together(4);
  {
    std::vector<std::jthread> threads;
    for (std::vector<Flight>& flights : together) {
      threads.emplace_back([&flights] { flights = fly_terrains(hand_written_weights(), 4); });
    }
  }
  for (const std::vector<Flight>& flights : together) {
    for (std::size_t k = 0; k < flights.size(); ++k) {
      EXPECT_EQ(flights[k].reward, alone[k].reward);
      EXPECT_EQ(flights[k].steps, alone[k].steps);
    }
  }
}

TEST(Lander, RefusesAnythingButTwelveFiniteNumbers) {
  const auto refused_field = [](const std::vector<double>& weights) -> std::string {
    try {
      static_cast<void>(fly_terrains(weights, 1));
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::invalid_value);
      return error.field();
    }
    return "accepted";
  };
  EXPECT_EQ(refused_field({}), "weights");
  EXPECT_EQ(refused_field(std::vector<double>(11, 0.5)), "weights");
  EXPECT_EQ(refused_field(std::vector<double>(13, 0.5)), "weights");
  std::vector<double> weights = hand_written_weights();
  weights[7] = std::numeric_limits<double>::quiet_NaN();
  EXPECT_EQ(refused_field(weights), "weights[7]");
  weights[7] = std::numeric_limits<double>::infinity();
  EXPECT_EQ(refused_field(weights), "weights[7]");
}

TEST(LanderTask, IsTheMeanReturnOfItsTerrains) {
  const std::vector<double> weights = hand_written_weights();
  double sum = 0.0;
  for (std::uint64_t seed = 0; seed < 10; ++seed) {
    numeric::RandomStream stream(seed, numeric::Purpose::lander_episode);
    sum += fly(
               weights, [&] { return stream.uniform(); }, 1500.0)
               .reward;
  }
  EXPECT_DOUBLE_EQ(make_problem("lunar12-quick").value(weights), sum / 10.0);
}

TEST(LanderTask, AttainsItsBestKnownValueInTheBox) {
  for (const char* name : {"lunar12", "lunar12-quick"}) {
    const Problem problem = make_problem(name);
    const std::vector<Bounds> bounds = problem.space.bounds();
    ASSERT_EQ(bounds.size(), 12U);
    for (std::size_t j = 0; j < bounds.size(); ++j) {
      EXPECT_EQ(bounds[j].lower, 0.0);
      EXPECT_EQ(bounds[j].upper, 2.0);
      EXPECT_GE(problem.maximiser[j], 0.0);
      EXPECT_LE(problem.maximiser[j], 2.0);
    }
    EXPECT_EQ(problem.value(problem.maximiser), problem.maximum) << name;
  }
}

TEST(LanderTask, NamesTheCoordinateThatIsNaN) {
  std::vector<double> x(kWeights, 1.0);
  x[3] = std::numeric_limits<double>::quiet_NaN();
  try {
    make_problem("lunar12").value(x);
    FAIL() << "NaN was accepted";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::invalid_value);
    EXPECT_EQ(error.field(), "x[3]");
  }
}

struct Moments {
  double mean = 0.0;
  double sd = 0.0;
  double mean_error = 0.0;
  double sd_error = 0.0;  // standard error of the sd, from the fourth moment
};

Moments moments(const std::vector<double>& sample) {
  const auto n = static_cast<double>(sample.size());
  Moments m;
  for (const double value : sample) m.mean += value / n;
  double second = 0.0;
  double fourth = 0.0;
  for (const double value : sample) {
    second += std::pow(value - m.mean, 2.0) / n;
    fourth += std::pow(value - m.mean, 4.0) / n;
  }
  m.sd = std::sqrt(second);
  m.mean_error = m.sd / std::sqrt(n);
  m.sd_error = std::sqrt((fourth - second * second) / n) / (2.0 * m.sd);
  return m;
}

struct ReferenceDistribution {
  double push;
  double mean;
  double sd;
  std::map<Landing, double> counts;
};

// Both the reference and this sample consist of 1000 episodes, each with its own draws.
TEST(LanderSlow, HandWrittenControllerHasTheReferenceDistribution) {
  constexpr double kEpisodes = 1000.0;
  const std::vector<ReferenceDistribution> references = {{.push = 1000.0,
                                                          .mean = 241.2,
                                                          .sd = 104.0,
                                                          .counts = {{Landing::rested, 922.0},
                                                                     {Landing::crashed, 20.0},
                                                                     {Landing::left, 40.0},
                                                                     {Landing::timed_out, 18.0}}},
                                                         {.push = 1500.0,
                                                          .mean = 254.0,
                                                          .sd = 111.0,
                                                          .counts = {{Landing::rested, 909.0},
                                                                     {Landing::crashed, 35.0},
                                                                     {Landing::left, 38.0},
                                                                     {Landing::timed_out, 18.0}}}};
  for (const ReferenceDistribution& reference : references) {
    SCOPED_TRACE(reference.push);
    std::vector<double> returns;
    std::map<Landing, double> counts;
    for (std::size_t seed = 0; seed < static_cast<std::size_t>(kEpisodes); ++seed) {
      const Episode episode = fly(hand_written_weights(), terrain_draws(seed), reference.push);
      returns.push_back(episode.reward);
      counts[episode.outcome] += 1.0;
    }
    const Moments m = moments(returns);
    EXPECT_NEAR(m.mean, reference.mean, 3.0 * std::sqrt(2.0) * m.mean_error);
    EXPECT_NEAR(m.sd, reference.sd, 3.0 * std::sqrt(2.0) * m.sd_error);
    for (const auto& [outcome, expected] : reference.counts) {
      const double binomial_variance = expected * (1.0 - expected / kEpisodes);
      EXPECT_NEAR(counts[outcome], expected, 3.0 * std::sqrt(2.0 * binomial_variance))
          << to_string(outcome);
    }
  }
}

// The reference is also a sample, of 400 weights on its own 50 terrains. So a difference has twice
// the variance of one sample. The variance comes from the weights and from the terrains.
TEST(LanderSlow, RandomWeightsHaveTheReferenceQuantiles) {
  constexpr std::size_t kDraws = 400;
  std::vector<double> values;
  std::vector<double> terrain_means(kTerrains, 0.0);
  numeric::RandomStream stream(0, numeric::Purpose::raw_samples);
  for (std::size_t i = 0; i < kDraws; ++i) {
    std::vector<double> weights(kWeights);
    for (double& weight : weights) weight = kMaxWeight * stream.uniform();
    const std::vector<Flight> flights = fly_terrains(weights, kTerrains);
    values.push_back(mean_return(flights));
    for (const Flight& flight : flights) terrain_means[flight.terrain] += flight.reward / kDraws;
  }
  const double terrain_error = moments(terrain_means).mean_error;
  const Moments m = moments(values);
  EXPECT_NEAR(m.mean, -137.4, 3.0 * std::sqrt(2.0) * std::hypot(m.mean_error, terrain_error));
  const auto quantile = [&](double p) { return numeric::linear_quantile(values, p).of(values); };
  const std::map<double, double> quantiles = {{0.1, -196.7}, {0.5, -146.9}, {0.9, -54.7}};
  for (const auto& [level, expected] : quantiles) {
    const double rank_error = std::sqrt(level * (1.0 - level) / kDraws);
    const double error = (quantile(level + rank_error) - quantile(level - rank_error)) / 2.0;
    EXPECT_NEAR(quantile(level), expected, 3.0 * std::sqrt(2.0) * std::hypot(error, terrain_error))
        << level;
  }
}

}  // namespace
}  // namespace oscbo::lander
