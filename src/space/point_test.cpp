#include "space/point.hpp"

#include <concepts>
#include <type_traits>

#include <gtest/gtest.h>

namespace oscbo::space {
namespace {

// One form is never taken for another one, nor for values: that is what the types are for.
template <class From, class To>
constexpr bool kTaken = std::is_constructible_v<To, From> || std::is_assignable_v<To&, From>;

static_assert(!kTaken<Uniforms, Coordinates> && !kTaken<Coordinates, Uniforms>);
static_assert(!kTaken<Coordinates, Columns> && !kTaken<Columns, Coordinates>);
static_assert(!kTaken<Coordinates, std::vector<double>>);
static_assert(!kTaken<Coordinates, std::span<const double>>);
static_assert(!std::is_convertible_v<std::vector<double>, Coordinates>);
static_assert(!std::is_convertible_v<numeric::Vector, Coordinates>);
static_assert(!std::equality_comparable_with<Coordinates, Columns>);

TEST(Point, HoldsTheNumbersItWasMadeOf) {
  EXPECT_EQ(Coordinates(std::vector{0.25, 0.5}), (Coordinates{0.25, 0.5}));
  EXPECT_EQ(Coordinates(numeric::Vector::Constant(2, 0.5)), Coordinates(2, 0.5));
  EXPECT_EQ(Coordinates(2), (Coordinates{0.0, 0.0}));
  EXPECT_TRUE(Coordinates().empty());
}

TEST(Point, GivesItsNumbersWithoutTheForm) {
  Columns columns{1.0, 2.0, 3.0};
  columns.entries()[1] = 5.0;
  EXPECT_EQ(columns[1], 5.0);
  EXPECT_EQ(columns.vector(), Eigen::Vector3d(1.0, 5.0, 3.0));
  EXPECT_EQ(columns.vector().data(), columns.entries().data());
}

TEST(Point, IsOrderedLikeItsNumbers) {
  EXPECT_LT((Coordinates{0.0, 0.9}), (Coordinates{0.1, 0.0}));
  EXPECT_NE((Coordinates{0.0, 0.9}), (Coordinates{0.0, 0.8}));
}

}  // namespace
}  // namespace oscbo::space
