#include "space/box.hpp"

#include <cmath>
#include <limits>

#include <gtest/gtest.h>

#include "oscbo/error.hpp"

namespace oscbo::space {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kLargest = std::numeric_limits<double>::max();
constexpr double kSmallest = std::numeric_limits<double>::denorm_min();

template <class Call>
void expect_refused(const Call& call, const std::string& field, const std::string& value) {
  try {
    call();
    ADD_FAILURE() << field << " was accepted";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::invalid_value);
    EXPECT_EQ(error.field(), field);
    EXPECT_NE(std::string(error.what()).find(value), std::string::npos) << error.what();
  }
}

TEST(Box, RefusesBadSidesNamingFieldAndValue) {
  const auto box_with = [](std::vector<Side> sides) { return [=] { Box{sides}; }; };
  expect_refused(box_with({}), "bounds", "empty");
  expect_refused(box_with({{0.0, 1.0}, {2.5, 2.5}}), "bounds[1]", "2.5");
  expect_refused(box_with({{3.25, -1.0}}), "bounds[0]", "3.25");
  expect_refused(box_with({{0.0, kInfinity}}), "bounds[0]", "inf");
  expect_refused(box_with({{-kInfinity, 0.0}}), "bounds[0]", "-inf");
  expect_refused(box_with({{0.0, 1.0}, {0.0, 1.0}, {kNan, 1.0}}), "bounds[2]", "nan");
}

TEST(Box, RefusesPointsOutsideNamingFieldAndValue) {
  const Box box({{-1.0, 1.0}, {0.0, 5.0}});
  const auto check = [&](std::vector<double> x) { return [&box, x] { box.check(x, "x"); }; };
  expect_refused(check({0.0}), "x", "1 coordinates");
  expect_refused(check({0.0, 0.0, 0.0}), "x", "3 coordinates");
  expect_refused(check({-1.5, 0.0}), "x[0]", "-1.5");
  expect_refused(check({0.0, std::nextafter(5.0, 6.0)}), "x[1]", "5.00000");
  expect_refused(check({0.0, kNan}), "x[1]", "nan");
  expect_refused(check({kInfinity, 0.0}), "x[0]", "inf");
}

TEST(Box, AcceptsItsCorners) {
  const Box box({{-1.0, 1.0}, {0.0, 5.0}});
  for (const double a : {-1.0, 1.0}) {
    for (const double b : {0.0, 5.0}) {
      EXPECT_NO_THROW(box.check(std::vector<double>{a, b}, "x"));
    }
  }
}

const std::vector<Side> kSides = {{0.0, 1.0},         {-5.0, 10.0},      {0.1, 0.3},
                                  {-32.768, 30.0},    {1e300, 2e300},    {-kLargest, kLargest},
                                  {0.0, kLargest},    {1e-300, 2e-300},  {0.0, kSmallest},
                                  {1.0, 1.0 + 1e-15}, {-1e-310, 1e-310}, {1e15, 1e15 + 1.0}};

TEST(Box, MapsItsBoundsExactly) {
  const Box box(kSides);
  const std::vector<double> low = box.from_unit(std::vector<double>(kSides.size(), 0.0));
  const std::vector<double> high = box.from_unit(std::vector<double>(kSides.size(), 1.0));
  for (std::size_t k = 0; k < kSides.size(); ++k) {
    EXPECT_EQ(low[k], kSides[k].lower);
    EXPECT_EQ(high[k], kSides[k].upper);
  }
  EXPECT_EQ(box.to_unit(low), std::vector<double>(kSides.size(), 0.0));
  EXPECT_EQ(box.to_unit(high), std::vector<double>(kSides.size(), 1.0));
}

TEST(Box, NeverLeavesItself) {
  const Box box(kSides);
  for (const double u : {0.0, 1e-17, 0.1, 1.0 / 3.0, 0.5, 0.9, 1.0 - 1e-16, 1.0}) {
    const std::vector<double> x = box.from_unit(std::vector<double>(kSides.size(), u));
    EXPECT_NO_THROW(box.check(x, "x"));
    for (const double back : box.to_unit(x)) {
      EXPECT_GE(back, 0.0);
      EXPECT_LE(back, 1.0);
    }
  }
}

// Coordinates are kept to the spacing of doubles around them, which is what a round trip can lose.
TEST(Box, RoundTripsToRounding) {
  for (const Side& side : kSides) {
    const Box box({side});
    const double largest = std::max(std::abs(side.lower), std::abs(side.upper));
    const double spacing = std::nextafter(largest, 0.0) - largest;
    const double rounding = 4.0 * std::abs(spacing / (0.5 * side.upper - 0.5 * side.lower));
    for (const double u : {0.0, 1e-3, 0.25, 1.0 / 3.0, 0.7, 0.999, 1.0}) {
      const double back = box.to_unit(box.from_unit(std::vector{u})).front();
      EXPECT_NEAR(back, u, rounding) << side.lower << " .. " << side.upper;
    }
  }
}

TEST(Box, TreatsEachSideOnItsOwn) {
  const Box box({{0.0, 10.0}, {-1.0, 1.0}});
  EXPECT_EQ(box.dimension(), 2U);
  EXPECT_EQ(box.from_unit(std::vector{0.25, 0.75}), (std::vector{2.5, 0.5}));
  EXPECT_EQ(box.to_unit(std::vector{2.5, 0.5}), (std::vector{0.25, 0.75}));
}

}  // namespace
}  // namespace oscbo::space
