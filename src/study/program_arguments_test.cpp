#include "study/program_arguments.hpp"

#include <limits>

#include <gtest/gtest.h>

#include "space/space_test_support.hpp"
#include "study/point_json.hpp"

namespace oscbo::study {
namespace {

using space::test::expect_refused;

constexpr double kInactive = std::numeric_limits<double>::quiet_NaN();

Space program_space() {
  return Space({.parameters = {
                    {.name = "rate", .lower = 0.0, .upper = 2.0},
                    {.name = "stages", .kind = ParameterKind::integer, .lower = 1.0, .upper = 8.0},
                    {.name = "batch", .kind = ParameterKind::ordinal, .levels = {0.5, 16.0}},
                    {.name = "solvent",
                     .kind = ParameterKind::categorical,
                     .values = {"water", "a; rm -rf {x} \"$HOME\" '", ""}},
                    {.name = "stir", .kind = ParameterKind::boolean},
                    {.name = "reflux", .upper = 1.0, .when = Condition{"solvent", {"water"}}}}});
}

std::vector<std::string> filled(const std::vector<std::string>& command,
                                const std::vector<double>& x) {
  return arguments_for({.command = command, .values_by = ValuesBy::file}, program_space(), x, 17,
                       "/tmp/values.json");
}

TEST(ProgramArguments, HaveTheValuesInThem) {
  const std::vector<double> x = {0.125, 3.0, 16.0, 0.0, 1.0, 0.75};
  const std::vector<std::string> expected = {"./run",  "--rate=0.125,3",   "16",  "water", "true",
                                             "0.75 x", "/tmp/values.json", "n17", ""};
  EXPECT_EQ(filled({"./run", "--rate={rate},{stages}", "{batch}", "{solvent}", "{stir}",
                    "{reflux} x", "{file}", "n{trial}", ""},
                   x),
            expected);
}

TEST(ProgramArguments, KeepAValueWithinItsArgumentAndDoNotReadItAgain) {
  const std::vector<double> x = {0.0, 1.0, 0.5, 1.0, 0.0, kInactive};
  const std::vector<std::string> expected = {"p", "--solvent=a; rm -rf {x} \"$HOME\" '", "-r", ""};
  EXPECT_EQ(filled({"p", "--solvent={solvent}", "-r", "{reflux}"}, x), expected)
      << "a parameter that is not active is empty";
}

TEST(ProgramArguments, ReadDoubledBracesAsBraces) {
  const std::vector<double> x = {0.5, 1.0, 0.5, 1.0, 0.0, kInactive};
  const std::vector<std::string> expected = {"p", "{\"rate\": 0.5}", "{rate}", "{0.5}", "}{"};
  EXPECT_EQ(filled({"p", "{{\"rate\": {rate}}}", "{{rate}}", "{{{rate}}}", "}}{{"}, x), expected);
}

TEST(ProgramArguments, RefusePlaceholdersThatStandForNothing) {
  const auto refused = [](const std::string& argument, const std::string& text,
                          ValuesBy way = ValuesBy::arguments) {
    const ProgramRules rules{.command = {"p", "{rate}", argument}, .values_by = way};
    expect_refused([&] { check_command(rules, program_space()); }, "program.command[2]", text);
    const std::vector<double> x = {0.5, 1.0, 0.5, 0.0, 0.0, 0.5};
    expect_refused([&] { static_cast<void>(arguments_for(rules, program_space(), x, 1, "file")); },
                   "program.command[2]", text);
  };
  refused("{rat}", "{rat} is not a parameter; use rate, stages, batch, solvent, stir, reflux or");
  refused("{}", "{} is not a parameter");
  refused("{ rate}", "{ rate} is not a parameter");
  refused("--x={rate", "not closed; {{ stands for a brace");
  refused("{rate{stages}}", "not closed");
  refused("{", "not closed");
  refused("rate}", "} without a {; }} stands for a brace");
  refused("{{rate}", "} without a {");
  refused("{file}", "values_by = \"file\" only");
  refused("{file}", "values_by = \"file\" only", ValuesBy::environment);
}

TEST(ProgramArguments, RefuseNamesThatCouldMeanTwoThings) {
  const Space space(SpaceDeclaration{.parameters = {{.name = "trial"}, {.name = "file"}}});
  const auto check_argument = [&](const std::string& argument, ValuesBy way) {
    check_command({.command = {"p", "{file}", argument}, .values_by = way}, space);
  };
  EXPECT_NO_THROW(check_argument("", ValuesBy::arguments)) << "a parameter may be called file";
  expect_refused([&] { check_argument("{trial}", ValuesBy::arguments); }, "program.command[2]",
                 "{trial} is ambiguous; rename the parameter 'trial'");
  expect_refused([&] { check_argument("", ValuesBy::file); }, "program.command[1]", "ambiguous");
}

TEST(ProgramArguments, RefuseWhatCannotReachAProgram) {
  const auto refused = [](const Parameter& parameter, const ProgramRules& rules,
                          const std::string& field, const std::string& text) {
    const Space space(SpaceDeclaration{.parameters = {parameter}});
    expect_refused([&] { check_command(rules, space); }, field, text);
  };
  const Parameter rate{.name = "rate"};
  const std::string zero("a\0b", 3);
  refused(rate, {.command = {}}, "program.command", "no program");
  refused(rate, {.command = {"", "x"}}, "program.command", "no program");
  refused(rate, {.command = {"p", zero}}, "program.command[1]", "zero byte");
  refused(rate, {.command = {"p", "{rate}"}, .values_by = ValuesBy::file}, "program.command",
          "no {file}");
  refused({.name = "c", .kind = ParameterKind::categorical, .values = {"x", zero}},
          {.command = {"p", "{c}"}}, "parameters.c", "zero byte");
  const ProgramRules environment{.command = {"p"}, .values_by = ValuesBy::environment};
  refused({.name = "a=b"}, environment, "parameters.a=b", "environment variable");
  EXPECT_NO_THROW(
      check_command({.command = {"p", "{a=b}"}}, Space({.parameters = {{.name = "a=b"}}})));
}

TEST(ProgramEnvironment, HasActiveParametersOnly) {
  using Variables = std::vector<std::pair<std::string, std::string>>;
  const Variables variables =
      environment_for(program_space(), std::vector{0.125, 3.0, 16.0, 1.0, 0.0, kInactive});
  const Variables expected = {{"OSCBO_PARAMETER_rate", "0.125"},
                              {"OSCBO_PARAMETER_stages", "3"},
                              {"OSCBO_PARAMETER_batch", "16"},
                              {"OSCBO_PARAMETER_solvent", "a; rm -rf {x} \"$HOME\" '"},
                              {"OSCBO_PARAMETER_stir", "false"}};
  EXPECT_EQ(variables, expected);
  const auto active =
      environment_for(program_space(), std::vector{0.125, 3.0, 16.0, 0.0, 0.0, 0.25});
  EXPECT_EQ(active.back(), (Variables::value_type{"OSCBO_PARAMETER_reflux", "0.25"}));
}

TEST(ProgramValues, AreJsonOfTheirKinds) {
  EXPECT_EQ(point_json(program_space(), std::vector{1.0, 3.0, 16.0, 0.0, 1.0, 0.1}).dump(),
            R"({"rate":1.0,"stages":3,"batch":16,"solvent":"water","stir":true,"reflux":0.1})");
  EXPECT_EQ(point_json(program_space(), std::vector{1e-7, 1.0, 0.5, 2.0, 0.0, kInactive}).dump(),
            R"({"rate":1e-07,"stages":1,"batch":0.5,"solvent":"","stir":false})");
}

TEST(ProgramValues, ComeBackExactly) {
  const Space space(SpaceDeclaration{.parameters = {{.name = "x", .upper = 1.0}}});
  for (const double x : {0.1, 1.0 / 3.0, 0.1 + 0.2, 5e-324}) {
    EXPECT_EQ(text::parse_json(point_json(space, std::vector{x}).dump(), "")["x"].get<double>(), x);
    const std::vector<std::string> arguments =
        arguments_for({.command = {"{x}"}}, space, std::vector{x}, 1, "");
    EXPECT_EQ(space.value(0, arguments[0]), x);
  }
}

}  // namespace
}  // namespace oscbo::study
