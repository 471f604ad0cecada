#include "report/figure.hpp"

#include <set>
#include <utility>

#include <gtest/gtest.h>

#include "oscbo/optimizer.hpp"
#include "oscbo/options.hpp"

namespace oscbo::report {
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

TEST(MethodStyle, AVariantAloneHasTheStyleOfItsMethod) {
  for (const MethodInfo& method : methods()) {
    const MethodStyle base = method_style(method.name);
    const std::vector<std::string> variant = {method.name + "+kernel.nu=0.5"};
    EXPECT_EQ(style_among(variant.front(), variant).colour, base.colour) << method.name;
    EXPECT_EQ(style_among(variant.front(), variant).dash, base.dash) << method.name;
  }
}

TEST(MethodStyle, VariantsBesideEachOtherTakeTurnsInDashesAndShades) {
  const std::vector<std::string> names = {"oscbo", "oscbo+beta=1", "ocbo", "oscbo+beta=3",
                                          "oscbo+beta=4"};
  EXPECT_EQ(style_among(names[0], names).dash, Dash::solid);
  EXPECT_EQ(style_among(names[1], names).dash, Dash::dashed);
  EXPECT_EQ(style_among(names[2], names).dash, method_style("ocbo").dash);
  EXPECT_EQ(style_among(names[3], names).dash, Dash::dotted);
  EXPECT_EQ(style_among(names[4], names).dash, Dash::solid);
  EXPECT_NE(style_among(names[4], names).colour, method_style("oscbo").colour);
}

}  // namespace
}  // namespace oscbo::report
