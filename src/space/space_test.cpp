#include "oscbo/space.hpp"

#include "space/space_test_support.hpp"

namespace oscbo::space {
namespace {

using test::every_kind;
using test::expect_refused;

TEST(Space, OfABoxNamesTheWrongBounds) {
  const auto box = [](std::vector<Bounds> sides) {
    return [=] { static_cast<void>(Space::of_box(sides)); };
  };
  expect_refused(box({}), "bounds", "empty");
  expect_refused(box({{0.0, 1.0}, {2.5, 2.5}}), "bounds[1]", "2.5");
  expect_refused(box({{0.0, std::numeric_limits<double>::infinity()}}), "bounds[0]", "inf");
}

TEST(Space, SurvivesARoundTripThroughJson) {
  SpaceDeclaration declaration = every_kind();
  declaration.parameters.push_back({.name = "a"});
  declaration.parameters.push_back({.name = "b"});
  declaration.mixtures = {{.parameters = {"a", "b"}, .sum = 0.75}};
  declaration.constraints = {parse_constraint("2 a - b <= 1"), parse_constraint("stages >= 2")};
  declaration.outcomes = {{.name = "cost", .upper = 3.5}, {.name = "yield", .lower = 0.1}};
  const Space space(declaration);
  const Space again = Space::from_json(space.to_json());
  EXPECT_EQ(again.to_json(), space.to_json());
  EXPECT_EQ(again.dimension(), space.dimension());
  EXPECT_EQ(again.declaration().parameters[4].log, true);
  EXPECT_EQ(again.declaration().constraints[1].limit, -2.0);
  EXPECT_EQ(again.declaration().outcomes[1].lower, 0.1);
}

TEST(Space, WritesIntegersWithoutADecimalPoint) {
  const Space space(
      {.parameters = {{.name = "n", .kind = ParameterKind::integer, .lower = 0.0, .upper = 20.0},
                      {.name = "x", .lower = -0.5, .upper = 1e300}}});
  const std::string json = space.to_json();
  EXPECT_NE(json.find("\"lower\": 0,"), std::string::npos) << json;
  EXPECT_NE(json.find("\"upper\": 20\n"), std::string::npos) << json;
  EXPECT_EQ(Space::from_json(json).bounds()[1].upper, 1e300);
}

TEST(Space, ReadsWhatUsersWrite) {
  const Space space = Space::from_json(R"({
    "parameters": {
      "rate": {"type": "float", "lower": 1e-5, "upper": 0.1, "log": true},
      "layers": {"type": "int", "lower": 1, "upper": 4},
      "batch": {"type": "ordinal", "values": [16, 32, 64]},
      "solver": {"type": "categorical", "values": ["adam", "sgd", 3]},
      "momentum": {"type": "float", "lower": 0, "upper": 1, "when": {"solver": "sgd"}},
      "seed": {"type": "fixed", "value": 7}}})");
  EXPECT_EQ(space.text(3, 2.0), "3");
  EXPECT_EQ(space.value(2, "32"), 32.0);
  EXPECT_EQ(space.value(1, "+2e0"), 2.0);
  EXPECT_THROW(static_cast<void>(space.value(1, "+-2")), Error);
  const std::vector<double> x = {1e-3, 2.0, 64.0, 1.0, 0.9, 7.0};
  EXPECT_NO_THROW(space.check(x));
  EXPECT_EQ(space.describe(x), "rate=0.001 layers=2 batch=64 solver=sgd momentum=0.9 seed=7");
  EXPECT_FALSE(space.is_active(std::vector{1e-3, 2.0, 64.0, 0.0, 0.9, 7.0}, 4));
  EXPECT_EQ(space.index("batch"), 2U);
  EXPECT_THROW(static_cast<void>(space.index("bach")), Error);
}

TEST(Space, JsonErrorsNameTheField) {
  const auto refused = [](const std::string& json, const std::string& field,
                          const std::string& text) {
    expect_refused([&] { static_cast<void>(Space::from_json(json)); }, field, text);
  };
  const auto parameter = [](const std::string& fields) {
    return R"({"parameters": {"p": {)" + fields + "}}}";
  };
  refused("{", "space", "is not valid JSON: see line 1, column 2");
  refused("{\n\n  \"parameters\": [1,]\n}", "space", "JSON: see line 3, column 20");
  refused(R"({"parameters": 1e999})", "space", "too large");
  refused("[]", "", "object");
  refused("{}", "parameters", "missing");
  refused(parameter(R"("lower": 1)"), "parameters.p.type", "missing; use float | int");
  refused(parameter(R"("type": "flot")"), "parameters.p.type",
          "\"flot\" is not accepted; use float");
  refused(parameter(R"("type": 3)"), "parameters.p.type", "3 is not accepted; use float");
  refused(parameter(R"("type": "float", "lower": 1, "uper": 2)"), "parameters.p.uper",
          "is not a known field; use type, lower, upper");
  refused(parameter(R"("type": "bool"}, "p": {"type": "bool")"), "parameters.p", "twice");
  refused(parameter(R"("type": "bool", "type": "int")"), "parameters.p.type", "twice");
  refused(parameter(R"("type": "categorical", "values": ["a", "b", "a"])"), "parameters.p.values",
          "'a' is named twice");
  refused(parameter(R"("type": "float", "lower": 1)"), "parameters.p.upper", "missing");
  refused(parameter(R"("type": "float", "lower": "1", "upper": 2)"), "parameters.p.lower",
          "number");
  refused(parameter(R"("type": "float", "lower": 1, "upper": 2, "lgo": true)"), "parameters.p.lgo",
          "use type, lower, upper, step, log, when");
  refused(parameter(R"("type": "float", "lower": 1, "upper": 2, "log": 1)"), "parameters.p.log",
          "true or false");
  refused(parameter(R"("type": "categorical", "values": "a")"), "parameters.p.values", "list");
  refused(parameter(R"("type": "categorical", "values": [["a"]])"), "parameters.p.values",
          "string");
  refused(parameter(R"("type": "bool", "when": 3)"), "parameters.p.when", "one parameter");
  refused(R"({"parameters": {"p": {"type": "bool"}}, "constraints": ["p <"]})", "constraints[0]",
          "constraints[0]: 'p <' is strict");
  refused(R"({"parameters": {"p": {"type": "bool"}}, "outcomes": {"c": {"max": 3}}})",
          "outcomes.c.max", "lower, upper");
  refused(R"({"parameters": {"p": {"type": "bool"}}, "mixtures": [{"sum": 3}]})",
          "mixtures[0].parameters", "missing");
}

TEST(Space, IsABoxOnlyWithContinuousParametersAndNoConstraints) {
  EXPECT_TRUE(Space::of_box(std::vector<Bounds>{{0.0, 1.0}, {2.0, 3.0}}).is_box());
  EXPECT_FALSE(Space(every_kind()).is_box());
  SpaceDeclaration cut{.parameters = {{.name = "a"}, {.name = "b"}}};
  cut.constraints = {parse_constraint("a + b <= 1")};
  EXPECT_FALSE(Space(cut).is_box());
}

TEST(Space, BoundsAreTheSmallestAndLargestNumbers) {
  const Space space(every_kind());
  const std::vector<Bounds> bounds = space.bounds();
  const auto expect_bounds = [&](std::string_view parameter, double lower, double upper) {
    EXPECT_EQ(bounds[space.index(parameter)].lower, lower) << parameter;
    EXPECT_EQ(bounds[space.index(parameter)].upper, upper) << parameter;
  };
  expect_bounds("temperature", 20.0, 120.0);
  expect_bounds("rate", 1e-5, 1e-1);
  expect_bounds("stages", 1.0, 8.0);
  expect_bounds("batch", 16.0, 256.0);
  expect_bounds("grade", 0.0, 2.0);
  expect_bounds("solvent", 0.0, 2.0);
  expect_bounds("stir", 0.0, 1.0);
  expect_bounds("vessel", 2.5, 2.5);
  const Space uneven({.parameters = {{.name = "x", .upper = 1.0, .step = 0.3}}});
  EXPECT_DOUBLE_EQ(uneven.bounds()[0].upper, 0.9) << "because the step does not divide the range";
}

TEST(LinearConstraint, ReadsSumsOnBothSides) {
  EXPECT_EQ(to_string(parse_constraint("2 a + b <= 3")), "2 a + b <= 3");
  EXPECT_EQ(to_string(parse_constraint("a>=0.5*b-1")), "a - 0.5 b >= -1");
  EXPECT_EQ(to_string(parse_constraint("1 + a <= 2 b + 4")), "a - 2 b <= 3");
  EXPECT_EQ(to_string(parse_constraint("a + a - 3 a.b <= 0")), "2 a - 3 a.b <= 0");
  EXPECT_EQ(to_string(parse_constraint("a * 2 - b*0.5 <= 1")), "2 a - 0.5 b <= 1");
  EXPECT_EQ(parse_constraint("a <= 1e-3").limit, 1e-3);
}

TEST(LinearConstraint, AcceptsAnyNameInQuotes) {
  const LinearConstraint read = parse_constraint("2 'flow rate' - 'x-y' <= 'ü'");
  ASSERT_EQ(read.terms.size(), 3U);
  EXPECT_EQ(read.terms[0].parameter, "flow rate");
  EXPECT_EQ(read.terms[1].parameter, "x-y");
  EXPECT_EQ(to_string(read), "2 'flow rate' - 'x-y' - 'ü' <= 0");
  EXPECT_EQ(to_string(parse_constraint(to_string(read))), to_string(read));
  EXPECT_EQ(parse_constraint("'it''s' <= 1").terms[0].parameter, "it's");
  EXPECT_EQ(to_string(parse_constraint("'it''s' <= 1")), "'it''s' <= 1");
}

TEST(LinearConstraint, RefusesOtherTextsAndSaysWhy) {
  const auto refused = [](const std::string& text, const std::string& why) {
    expect_refused([&] { static_cast<void>(parse_constraint(text)); }, "constraint",
                   "'" + text + "' " + why);
  };
  refused("", "has no number or parameter where one is expected");
  refused("a", "ends where <= or >= is expected");
  refused("a b <= 3", "continues with 'b <= 3' where <= or >= is expected");
  refused("a / 2 <= 3", "continues with '/ 2 <= 3' where");
  refused("a * b <= 3", "multiplies a parameter by something that is not a number");
  refused("a < 3", "is strict");
  refused("a > 3", "is strict");
  refused("a = 3", "is an equation");
  refused("a == 3", "is an equation");
  refused("a <= 3 <= b", "continues with '<= b' where it should end");
  refused("a <= 3 x y", "continues with 'y' where it should end");
  refused("1 <= 2", "names no parameter");
  refused("a <= 1e999", "has a number that cannot be read");
  for (const char* const text : {"a <= ", "<= 3", "2 * <= 3", "a + <= 3", "a <= --3"}) {
    refused(text, "has no number or parameter where one is expected");
  }
}

}  // namespace
}  // namespace oscbo::space
