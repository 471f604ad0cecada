#include "gp/layout.hpp"

#include <gtest/gtest.h>

namespace oscbo::gp {
namespace {

TEST(Layout, OrdersTheColumnsLikeTheParameters) {
  const Layout layout(std::vector<ParameterShape>{{ParameterKind::numeric},
                                                  {ParameterKind::conditional},
                                                  {ParameterKind::categorical, 5},
                                                  {ParameterKind::numeric}});
  EXPECT_EQ(layout.parameters(), 4);
  EXPECT_EQ(layout.columns(), 5);
  EXPECT_FALSE(layout.is_plain());
  EXPECT_EQ(layout[1], (Layout::Parameter{.first = 1, .columns = 2, .is_categorical = false}));
  EXPECT_EQ(layout[2],
            (Layout::Parameter{.first = 3, .columns = 1, .is_categorical = true, .categories = 5}));
  EXPECT_EQ(layout[3].first, 4);
  EXPECT_TRUE(layout[3].is_plain());
}

TEST(Layout, IsPlainIfColumnsAreParameters) {
  EXPECT_TRUE(Layout::plain(3).is_plain());
  EXPECT_EQ(Layout::plain(3).parameters(), 3);
  EXPECT_EQ(Layout::plain(3).columns(), 3);
  EXPECT_EQ(Layout::plain(2), Layout(std::vector<ParameterShape>(2)));
  EXPECT_FALSE(Layout(std::vector<ParameterShape>{{ParameterKind::categorical, 2}}).is_plain());
  EXPECT_FALSE(Layout(std::vector<ParameterShape>{{ParameterKind::conditional}}).is_plain());
}

}  // namespace
}  // namespace oscbo::gp
