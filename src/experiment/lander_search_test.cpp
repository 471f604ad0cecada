#include <atomic>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "experiment/test_support.hpp"
#include "oscbo/error.hpp"
#include "oscbo/lander.hpp"

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

// 1505 evaluations are two searches; the second has only random points.
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
}

TEST(LanderSearch, RefusesPlansThatMakeNoSense) {
  EXPECT_EQ(refusal({.evaluations = 0}).field(), "evaluations");
  EXPECT_EQ(refusal({.jobs = 0}).field(), "jobs");
  EXPECT_EQ(refusal({.terrains = 0}).field(), "terrains");
  EXPECT_EQ(refusal({.start = {1.0}}).field(), "start");
  std::vector<double> outside(kWeights, 1.0);
  outside[4] = 2.5;
  EXPECT_EQ(refusal({.start = outside}).field(), "start[4]");
  outside[4] = std::numeric_limits<double>::quiet_NaN();
  EXPECT_EQ(refusal({.start = outside}).field(), "start[4]");
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

}  // namespace
}  // namespace oscbo::lander
