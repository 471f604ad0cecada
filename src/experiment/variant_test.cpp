#include "experiment/variant.hpp"

#include <gtest/gtest.h>

#include "experiment/test_support.hpp"
#include "oscbo/experiment.hpp"

namespace oscbo::experiment {
namespace {

using Names = std::vector<std::string>;

TEST(Variant, HasAMethodAndSettings) {
  const Variant variant = parse_variant("oscbo-l1+kernel.nu=0.5+fit.start=cold");
  EXPECT_EQ(variant.method, "oscbo-l1");
  EXPECT_EQ(variant.settings, (Names{"kernel.nu=0.5", "fit.start=cold"}));
}

TEST(Variant, WithoutSettingsIsTheMethod) {
  EXPECT_EQ(parse_variant("oscbo").method, "oscbo");
  EXPECT_TRUE(parse_variant("oscbo").settings.empty());
}

TEST(Variant, KeepsTheExponentOfANumber) {
  EXPECT_EQ(parse_variant("oscbo+theta.max=1e+1+beta=2").settings,
            (Names{"theta.max=1e+1", "beta=2"}));
}

TEST(Variant, SettingsReachTheConfiguration) {
  const Config config = run_config("oscbo+kernel.nu=0.5", 7, {"kernel.nu=1.5", "beta=3"}).optimizer;
  EXPECT_EQ(get_option(config, "kernel.nu"), "0.5") << "the variant's own setting takes precedence";
  EXPECT_EQ(config.beta, 3.0);
}

TEST(Variant, NamesTheOptionOfABadSetting) {
  const Error error = error_of([] { (void)run_config("oscbo+kernel.nu=wide", 7, {}); });
  EXPECT_EQ(error.code(), ErrorCode::invalid_value);
  EXPECT_EQ(error.field(), "kernel.nu");
}

TEST(Variant, SetsAnOptionOnce) {
  const Error error =
      error_of([] { (void)run_config("oscbo+kernel.nu=0.5+beta=1+kernel.nu=2.5", 7, {}); });
  EXPECT_EQ(error.code(), ErrorCode::invalid_value);
  EXPECT_STREQ(error.what(),
               "kernel.nu: is set twice in 'oscbo+kernel.nu=0.5+beta=1+kernel.nu=2.5'");
}

TEST(Sweep, IsTheProductOfItsValues) {
  EXPECT_EQ(sweep_methods({"oscbo", "scgp"}, {"beta=1,2", "kernel.ard=true"}),
            (Names{"oscbo+beta=1+kernel.ard=true", "oscbo+beta=2+kernel.ard=true",
                   "scgp+beta=1+kernel.ard=true", "scgp+beta=2+kernel.ard=true"}));
}

TEST(Sweep, WithoutSweepsKeepsTheMethods) {
  EXPECT_EQ(sweep_methods({"oscbo"}, {}), Names{"oscbo"});
}

TEST(Sweep, NeedsANameAndValues) {
  for (const char* sweep : {"", "beta", "beta=", "=1", "beta=1,", "beta=,1"}) {
    const Error error = error_of([&] { (void)sweep_methods({"oscbo"}, {sweep}); });
    EXPECT_EQ(error.code(), ErrorCode::invalid_value) << sweep;
    EXPECT_EQ(error.field(), "--sweep") << sweep;
  }
}

}  // namespace
}  // namespace oscbo::experiment
