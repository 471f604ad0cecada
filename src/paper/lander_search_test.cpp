#include "oscbo/lander_search.hpp"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstdint>
#include <limits>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "experiment/test_support.hpp"
#include "numeric/random_stream.hpp"
#include "oscbo/error.hpp"
#include "problems/lander.hpp"
#include "problems/lander_problem.hpp"

namespace oscbo::lander {
namespace {

Error refusal(const SearchPlan& plan) {
  return error_of([&] { static_cast<void>(search_weights(plan)); });
}

TEST(LanderSearch, StartsWhereItIsToldAndNeverGetsWorse) {
  const std::vector<SearchResult> results = search_weights({.terrains = 2, .evaluations = 30});
  ASSERT_EQ(results.size(), 1U);
  const SearchResult& result = results.front();
  EXPECT_FALSE(result.random_start);
  EXPECT_EQ(result.evaluations, 30);
  EXPECT_EQ(result.start_value, mean_return(fly_terrains(hand_written_weights(), 2)));
  EXPECT_GE(result.value, result.start_value);
  EXPECT_EQ(result.value, mean_return(fly_terrains(result.weights, 2)));
  for (const double weight : result.weights) {
    EXPECT_GE(weight, 0.0);
    EXPECT_LE(weight, kMaxWeight);
  }
}

// 1505 evaluations make two searches. The second one has only random points.
TEST(LanderSearchSlow, ThreadsChangeNothing) {
  std::vector<std::vector<SearchResult>> found;
  for (const int jobs : {1, 2}) {
    int calls = 0;
    int last = 0;
    found.push_back(search_weights({.terrains = 1, .evaluations = 1505, .seed = 3, .jobs = jobs},
                                   [&](int done, int total) {
                                     ++calls;
                                     EXPECT_EQ(done, last + 1);
                                     EXPECT_EQ(total, 1505);
                                     last = done;
                                   }));
    EXPECT_EQ(calls, 1505);
  }
  ASSERT_EQ(found[0].size(), 2U);
  EXPECT_TRUE(found[0][1].random_start);
  EXPECT_EQ(found[0][1].evaluations, 5);
  for (std::size_t i = 0; i < 2; ++i) {
    EXPECT_EQ(found[0][i].value, found[1][i].value);
    EXPECT_EQ(found[0][i].weights, found[1][i].weights);
  }
  double best = -std::numeric_limits<double>::infinity();
  numeric::RandomStream stream(3, numeric::Purpose::lander_search, 1);
  for (int i = 0; i < 5; ++i) {
    std::vector<double> weights(kWeights);
    for (double& weight : weights) weight = kMaxWeight * stream.uniform();
    best = std::max(best, mean_return(fly_terrains(weights, 1)));
  }
  EXPECT_EQ(found[0][1].value, best) << "of the five random points";
}

TEST(LanderSearch, ASeedIsASearchOfItsOwn) {
  const auto weights = [](std::uint64_t seed) {
    return search_weights({.terrains = 1, .evaluations = 40, .seed = seed}).front().weights;
  };
  EXPECT_EQ(weights(1), weights(1));
  EXPECT_NE(weights(1), weights(2));
}

TEST(LanderSearch, PassesOnWhatEndsIt) {
  const auto fail = [](int /*done*/, int /*total*/) { throw std::runtime_error("full"); };
  EXPECT_THROW(static_cast<void>(search_weights({.terrains = 1, .evaluations = 3}, fail)),
               std::runtime_error);
}

TEST(LanderSearch, RefusesPlansThatMakeNoSense) {
  EXPECT_EQ(refusal({.evaluations = 0}).field(), "evaluations");
  EXPECT_EQ(refusal({.jobs = 0}).field(), "jobs");
  EXPECT_EQ(refusal({.terrains = 0}).field(), "terrains");
  EXPECT_EQ(refusal({.start = {1.0}}).field(), "start");
  std::vector<double> outside(kWeights, 1.0);
  outside[4] = 2.5;
  EXPECT_EQ(refusal({.start = outside, .terrains = 1, .evaluations = 1}).field(), "start[4]");
  outside[4] = -0.5;
  EXPECT_EQ(refusal({.start = outside, .terrains = 1, .evaluations = 1}).field(), "start[4]");
  outside[4] = std::numeric_limits<double>::quiet_NaN();
  EXPECT_EQ(refusal({.start = outside, .terrains = 1, .evaluations = 1}).field(), "start[4]");
}

TEST(LanderSearch, StoppedGivesWhatItHasFound) {
  std::atomic<bool> stop = false;
  const auto stop_after = [&](int evaluations) {
    return [&stop, evaluations](int done, int /*total*/) { stop = done >= evaluations; };
  };
  const SearchPlan plan = {.terrains = 2, .evaluations = 3000};
  const std::vector<SearchResult> stopped = search_weights(plan, stop_after(30), &stop);
  const SearchResult whole = search_weights({.terrains = 2, .evaluations = 30}).front();
  ASSERT_EQ(stopped.size(), 1U) << "the second search had not begun";
  EXPECT_EQ(stopped[0].evaluations, 30);
  EXPECT_EQ(stopped[0].start_value, whole.start_value);
  EXPECT_EQ(stopped[0].value, whole.value);
  EXPECT_EQ(stopped[0].weights, whole.weights);

  stop = true;
  EXPECT_TRUE(search_weights(plan, {}, &stop).empty());
}

TEST(LanderPicture, ShowsEveryTerrainAndOutcome) {
  const auto [flights, svg] = draw_flights(hand_written_weights(), 3);
  const std::vector<Flight> flown = fly_terrains(hand_written_weights(), 3);
  ASSERT_EQ(flights.size(), flown.size());
  EXPECT_TRUE(svg.starts_with("<svg"));
  EXPECT_TRUE(svg.ends_with("</svg>\n"));
  for (std::size_t k = 0; k < flown.size(); ++k) {
    EXPECT_EQ(flights[k].terrain, k);
    EXPECT_EQ(flights[k].outcome, flown[k].outcome);
    EXPECT_EQ(flights[k].steps, flown[k].steps);
    EXPECT_EQ(flights[k].reward, flown[k].reward);
    const std::string reward = std::to_string(std::lround(flown[k].reward));
    EXPECT_NE(svg.find(">" + reward + "</text>"), std::string::npos) << reward;
  }
  std::size_t paths = 0;  // ground, trajectory, two legs and the hull for each terrain
  for (std::size_t at = svg.find("<polyline"); at != std::string::npos;
       at = svg.find("<polyline", at + 1)) {
    ++paths;
  }
  EXPECT_EQ(paths, 3U * 5U);
  EXPECT_THROW(static_cast<void>(draw_flights(hand_written_weights(), 0)), Error);
  EXPECT_THROW(static_cast<void>(draw_flights(std::vector<double>(3, 0.5), 1)), Error);
}

struct DrawnPath {
  std::vector<double> x = {};
  std::vector<double> y = {};
  std::string element = {};
};

std::vector<DrawnPath> paths_of(const std::string& svg) {
  std::vector<DrawnPath> paths;
  const std::string begin = "<polyline points=\"";
  for (std::size_t at = svg.find(begin); at != std::string::npos; at = svg.find(begin, at + 1)) {
    DrawnPath path{.element = svg.substr(at, svg.find("/>", at) - at)};
    std::istringstream points(path.element.substr(begin.size()));
    char comma = 0;
    for (double x = 0.0, y = 0.0; points >> x >> comma >> y;) {
      path.x.push_back(x);
      path.y.push_back(y);
    }
    paths.push_back(path);
  }
  return paths;
}

/// falling_weights never fires the engines, so the craft falls and crashes.
std::vector<double> falling_weights() {
  std::vector<double> weights(kWeights, 0.0);
  weights[10] = weights[11] = kMaxWeight;
  return weights;
}

// One terrain is 984 pixels wide, which is 20 units of the world.
TEST(LanderPicture, DrawsTheCraftWhereItsTrajectoryEnds) {
  constexpr double kScale = 984.0 / 20.0;
  // The push tilts the craft on its legs. Without it, the craft would be upright.
  const std::vector<double> tilting = {0.0, 0.0, 0.4, 0.0, 2.0, 0.0, 0.0, 0.0, 0.0, 0.0, 2.0, 0.0};
  for (const std::vector<double>& weights : {falling_weights(), tilting}) {
    Pose end;
    const Episode episode =
        fly(weights, terrain_draws(0), kTaskPush, [&](const Step& step) { end = step.hull; });
    const std::vector<DrawnPath> paths = paths_of(draw_flights(weights, 1).svg);
    ASSERT_EQ(paths.size(), 5U) << "ground, trajectory, legs and hull";
    EXPECT_NEAR(paths[1].x.back(), 8.0 + kScale * end.x, 0.011)
        << "after " << episode.steps << " steps";
    const double foot = 64.0 + 984.0 * 15.5 / 20.0;
    EXPECT_NEAR(paths[1].y.back(), foot - kScale * end.y, 0.011);
    // A rotated hull keeps the lengths of its sides.
    const std::vector<GroundVertex> hull = hull_outline();
    const DrawnPath& drawn = paths.back();
    ASSERT_EQ(drawn.x.size(), hull.size());
    for (std::size_t i = 1; i < hull.size(); ++i) {
      EXPECT_NEAR(std::hypot(drawn.x[i] - drawn.x[i - 1], drawn.y[i] - drawn.y[i - 1]),
                  kScale * std::hypot(hull[i].x - hull[i - 1].x, hull[i].y - hull[i - 1].y), 0.03)
          << "at an angle of " << end.angle;
    }
  }
}

TEST(LanderPicture, ShowsOutcomesByColourAndCountsThem) {
  const auto [flights, svg] = draw_flights(falling_weights(), 3);
  for (const Flight& flight : flights) ASSERT_EQ(flight.outcome, Landing::crashed);
  EXPECT_NE(svg.find(">3 crashed</text>"), std::string::npos);
  EXPECT_NE(svg.find(">0 rested</text>"), std::string::npos);
  const std::vector<DrawnPath> paths = paths_of(svg);
  for (std::size_t terrain = 0; terrain < 3; ++terrain) {
    EXPECT_NE(paths[5 * terrain + 1].element.find("#D55E00"), std::string::npos) << "trajectory";
    EXPECT_NE(paths[5 * terrain + 4].element.find("#D55E00"), std::string::npos) << "hull";
  }
}

// Five terrains take four columns, and so two rows.
TEST(LanderPicture, HasRoomForItsLastRow) {
  const std::string svg = draw_flights(falling_weights(), 5).svg;
  const std::string before = "viewBox=\"0 0 1000 ";
  const double height = std::stod(svg.substr(svg.find(before) + before.size()));
  const std::vector<DrawnPath> paths = paths_of(svg);
  ASSERT_EQ(paths.size(), 25U);
  for (const DrawnPath& path : paths) EXPECT_LE(std::ranges::max(path.y), height);
}

}  // namespace
}  // namespace oscbo::lander
