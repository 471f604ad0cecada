#include "acquisition/input_scaling.hpp"

#include <gtest/gtest.h>

namespace oscbo::acquisition {
namespace {

const InputScaling kScaling = {.offset = Eigen::Vector2d(0.25, 0.5),
                               .range = Eigen::Vector2d(0.5, 0.125)};

TEST(InputScaling, MapsColumnsToInputsAndBack) {
  const space::Columns columns{0.5, 0.5625};
  EXPECT_EQ(kScaling.to_input(columns), (ModelInput{0.5, 0.5}));
  EXPECT_EQ(kScaling.to_columns({0.5, 0.5}), columns);
}

TEST(InputScaling, ScalesTheRowsOfAMatrixLikeSinglePoints) {
  numeric::PaddedMatrix columns(3, 2);
  for (Index i = 0; i < 3; ++i) {
    columns(i, 0) = 0.1 * static_cast<double>(i);
    columns(i, 1) = 0.7;
  }
  numeric::PaddedMatrix inputs(3, 2);
  kScaling.to_inputs(columns, inputs);
  for (Index i = 0; i < 3; ++i) {
    EXPECT_EQ(point_of(inputs, i),
              kScaling.to_input(space::Columns(point_of(columns, i))).vector());
  }
}

TEST(InputScaling, SearchesTheInputsOfTheUnitCube) {
  const SearchBox box = kScaling.search_box();
  EXPECT_EQ(box.lower, kScaling.to_input({0.0, 0.0}).vector());
  EXPECT_EQ(box.upper, kScaling.to_input({1.0, 1.0}).vector());
  const SearchBox unit = InputScaling::identity(2).search_box();
  EXPECT_EQ(unit.lower, Eigen::Vector2d(0.0, 0.0));
  EXPECT_EQ(unit.upper, Eigen::Vector2d(1.0, 1.0));
}

}  // namespace
}  // namespace oscbo::acquisition
