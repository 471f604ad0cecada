#include "experiment/figure.hpp"

#include <set>
#include <utility>

#include <gtest/gtest.h>

#include "oscbo/config.hpp"
#include "oscbo/optimizer.hpp"

namespace oscbo::experiment {
namespace {

TEST(MethodStyle, IsThatOfTheTable) {
  EXPECT_EQ(method_style("oscbo").colour, "#0072B2");
  EXPECT_EQ(method_style("oscbo").dash, Dash::solid);
  EXPECT_EQ(method_style("gp-ucb-mll").colour, "#D55E00");
}

TEST(MethodStyle, TellsAllMethodsApart) {
  std::set<std::string> colours;
  for (const MethodInfo& method : methods()) colours.insert(method_style(method.name).colour);
  EXPECT_EQ(colours.size(), methods().size());
  EXPECT_FALSE(colours.contains(method_style("no such method").colour));
}

TEST(MethodStyle, AVariantHasTheColourOfItsMethodAndAnotherDash) {
  for (const MethodInfo& method : methods()) {
    const MethodStyle base = method_style(method.name);
    const MethodStyle variant = method_style(method.name + "+kernel.nu=0.5");
    EXPECT_EQ(variant.colour, base.colour) << method.name;
    EXPECT_NE(variant.dash, base.dash) << method.name;
  }
}

}  // namespace
}  // namespace oscbo::experiment
