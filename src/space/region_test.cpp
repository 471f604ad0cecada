#include "space/region.hpp"

#include <algorithm>
#include <cmath>
#include <set>

#include "space/random_problem_test_support.hpp"
#include "space/space_test_support.hpp"

namespace oscbo::space {
namespace {

using numeric::Purpose;
using numeric::RandomStream;
using test::every_kind;
using test::expect_refused;
using test::random_problem;
using test::violation;

TEST(Region, RestrictsNumbersAndLevelsToAPart) {
  const Domain domain(every_kind());
  const std::size_t temperature = *domain.find("temperature");
  const std::size_t stages = *domain.find("stages");
  Region region(domain);
  region.hold(temperature, 0.25, 0.5);
  region.hold(stages, 0.3, 0.6);  // 1 + 7 u: the integers 4 and 5
  RandomStream stream(1, Purpose::simulated_function);
  std::set<double> seen;
  for (int i = 0; i < 200; ++i) {
    const std::vector<double> x = domain.from_coordinates(*region.draw(stream));
    EXPECT_GE(x[temperature], 45.0);
    EXPECT_LE(x[temperature], 70.0);
    seen.insert(x[stages]);
  }
  EXPECT_EQ(seen, (std::set<double>{4.0, 5.0}));
  region.hold(stages, 0.30, 0.31);
  EXPECT_EQ(domain.from_coordinates(*region.draw(stream))[stages], 3.0)
      << "must be the nearest level if there is none inside";
}

TEST(Region, KeepsGivenValues) {
  const Domain domain(every_kind());
  const std::size_t solvent = *domain.find("solvent");
  const std::size_t rate = *domain.find("rate");
  Region region(domain);
  region.give(solvent, 1.0);
  region.give(rate, 0.003);
  RandomStream stream(1, Purpose::simulated_function);
  for (int i = 0; i < 50; ++i) {
    const Coordinates u = *region.draw(stream);
    EXPECT_EQ(u[solvent], 1.0);
    EXPECT_EQ(region.values(u)[rate], 0.003);
    EXPECT_TRUE(region.contains(u));
    for (const Coordinates& move : region.neighbours(u, stream)) EXPECT_TRUE(region.contains(move));
  }
}

TEST(Region, NeighboursDifferInOneChoiceAndBelongToTheSpace) {
  const Domain domain(every_kind());
  const Region region(domain);
  RandomStream stream(2, Purpose::simulated_function);
  const Coordinates u = *region.draw(stream);
  const std::vector<Coordinates> moves = region.neighbours(u, stream);
  EXPECT_GT(moves.size(), 10U);
  for (const Coordinates& move : moves) {
    EXPECT_NO_THROW(domain.check(domain.from_coordinates(move), "x"));
    std::size_t changes = 0;
    for (std::size_t k = 0; k < u.size(); ++k) {
      changes += domain.is_active(u, k) && domain.is_active(move, k) && move[k] != u[k] ? 1 : 0;
    }
    EXPECT_EQ(changes, 1U);
  }
}

TEST(Region, CombinationsAreAllPointsOfAFiniteSpace) {
  using enum ParameterKind;
  const Domain domain({.parameters = {{.name = "n",
                                       .kind = integer,
                                       .lower = 1.0,
                                       .upper = 4.0,
                                       .when = Condition{"c", {"x"}}},
                                      {.name = "c", .kind = categorical, .values = {"x", "y", "z"}},
                                      {.name = "b", .kind = boolean}}});
  RandomStream stream(3, Purpose::simulated_function);
  const auto all = Region(domain).combinations(100, stream);
  ASSERT_TRUE(all);
  EXPECT_EQ(std::set<Coordinates>(all->begin(), all->end()).size(), 12U);
  EXPECT_EQ(static_cast<double>(all->size()), domain.points());
  EXPECT_FALSE(Region(domain).combinations(11, stream));
}

// --- constraints ---------------------------------------------------------------------------------

TEST(Region, PointsOfRandomProblemsSatisfyTheConstraints) {
  RandomStream stream(4, Purpose::simulated_function);
  constexpr int kProblems = 2000;
  for (int problem = 0; problem < kProblems; ++problem) {
    const SpaceDeclaration declaration = random_problem(stream);
    const Domain domain(declaration);
    const Region region(domain);
    const std::optional<Coordinates> u = region.draw(stream);
    ASSERT_TRUE(u) << problem;
    const auto expect_inside = [&](const Coordinates& point) {
      const std::vector<double> x = domain.from_coordinates(point);
      EXPECT_LE(violation(declaration, x), 1e-11) << problem;
      EXPECT_NO_THROW(domain.check(x, "x"));
    };
    expect_inside(*u);
    for (const Coordinates& move : region.neighbours(*u, stream)) expect_inside(move);
    Coordinates far = *u;
    for (double& coordinate : far.entries()) coordinate += stream.normal();
    if (const std::optional<Coordinates> repaired = region.repair(far)) expect_inside(*repaired);
  }
}

// 701 a + 1103 b = 171330 has one solution up to 200.
TEST(Region, FindsIntegersUnderTightConstraints) {
  const auto whole = [](const char* name) {
    return Parameter{.name = name, .kind = ParameterKind::integer, .lower = 0.0, .upper = 200.0};
  };
  const Domain domain({.parameters = {whole("a"), whole("b")},
                       .constraints = {parse_constraint("701 a + 1103 b <= 171330"),
                                       parse_constraint("701 a + 1103 b >= 171330")}});
  RandomStream stream(7, Purpose::simulated_function);
  const std::optional<Coordinates> u = Region(domain).draw(stream);
  ASSERT_TRUE(u);
  EXPECT_EQ(domain.from_coordinates(*u), (std::vector{150.0, 60.0}));
}

TEST(Region, MixturesHaveTheirSumAndCoverTheWholeSimplex) {
  RandomStream stream(5, Purpose::simulated_function);
  for (std::size_t components = 3; components <= 8; ++components) {
    for (const double sum : {1.0, 100.0}) {
      SpaceDeclaration declaration;
      Mixture mixture{.parameters = {}, .sum = sum};
      for (std::size_t k = 0; k < components; ++k) {
        declaration.parameters.push_back({.name = "c" + std::to_string(k), .upper = sum});
        mixture.parameters.push_back(declaration.parameters.back().name);
      }
      declaration.mixtures = {mixture};
      const Domain domain(declaration);
      const Region region(domain);
      constexpr int kDraws = 2000;
      std::vector<double> largest(components, 0.0);
      std::vector<double> mean(components, 0.0);
      for (int i = 0; i < kDraws; ++i) {
        const std::vector<double> x = domain.from_coordinates(*region.draw(stream));
        double total = 0.0;
        for (std::size_t k = 0; k < components; ++k) {
          total += x[k];
          largest[k] = std::max(largest[k], x[k] / sum);
          mean[k] += x[k] / sum / kDraws;
        }
        EXPECT_NEAR(total, sum, 1e-12);
      }
      // A component is Beta(1, n - 1) distributed: its mean is 1/n, its sd is below 1/n, and P(all
      // draws below t) = (1 - (1 - t)^(n - 1))^draws.
      const auto n = static_cast<double>(components);
      const double reached = 1.0 - std::pow(12.0 / kDraws, 1.0 / (n - 1.0));
      for (std::size_t k = 0; k < components; ++k) {
        EXPECT_NEAR(mean[k], 1.0 / n, 5.0 / n / std::sqrt(kDraws));
        EXPECT_GT(largest[k], reached);
      }
    }
  }
}

TEST(Region, MixturesWithConstraintsSatisfyBoth) {
  const Domain domain({.parameters = {{.name = "a", .lower = 0.1, .upper = 0.4},
                                      {.name = "b", .lower = 0.2, .upper = 0.9},
                                      {.name = "c", .lower = 0.0, .upper = 0.3}},
                       .mixtures = {{.parameters = {"a", "b", "c"}}},
                       .constraints = {parse_constraint("a >= 2 c")}});
  const Region region(domain);
  RandomStream stream(6, Purpose::simulated_function);
  for (int i = 0; i < 500; ++i) {
    const std::vector<double> x = domain.from_coordinates(*region.draw(stream));
    EXPECT_NEAR(x[0] + x[1] + x[2], 1.0, 1e-12);
    EXPECT_GE(x[0], 2.0 * x[2] - 1e-12);
    EXPECT_NO_THROW(domain.check(x, "x"));
  }
}

TEST(Space, NamesConstraintsThatContradictEachOther) {
  const Parameter a{.name = "a"};
  const Parameter b{.name = "b"};
  const auto refused = [](SpaceDeclaration declaration, const std::string& text,
                          const std::string& field = "constraints") {
    expect_refused([&] { Space{declaration}; }, field, text);
  };
  refused({.parameters = {a, b},
           .constraints = {parse_constraint("a + b <= 1"), parse_constraint("a <= 0.3"),
                           parse_constraint("a >= 0.6")}},
          "no point satisfies all of: a <= 0.3; a >= 0.6");
  refused({.parameters = {a, b}, .mixtures = {{.parameters = {"a", "b"}, .sum = 3.0}}},
          "no point satisfies all of: a + b = 3; a <= 1; b <= 1", "mixtures");
  refused(
      {.parameters = {{.name = "n", .kind = ParameterKind::integer, .lower = 0.0, .upper = 9.0}},
       .constraints = {parse_constraint("n >= 2.2"), parse_constraint("n <= 2.8")}},
      "no levels were found that satisfy all of: n >= 2.2; n <= 2.8");
  refused(
      {.parameters = {a, b},
       .constraints = {parse_constraint("a + b <= 1"), parse_constraint("a + b >= 1.00000003")}},
      "slightly contradict each other or the bounds: a + b <= 1; a + b >= 1.00000003");
  refused({.parameters = {{.name = "a", .lower = -1.7e308, .upper = 1.7e308}, b},
           .constraints = {parse_constraint("a <= b")}},
          "too wide", "constraints[0]");
}

// Rounding errors of wide ranges are no contradiction.
TEST(Space, AcceptsConstraintsOnWideRanges) {
  const auto wide = [](const std::string& name, double size, ParameterKind kind) {
    return Parameter{.name = name, .kind = kind, .lower = -size, .upper = size};
  };
  using enum ParameterKind;
  EXPECT_NO_THROW(
      Space({.parameters = {wide("a", 5e5, real), wide("b", 5e5, real), wide("c", 5e5, real)},
             .mixtures = {{.parameters = {"a", "b", "c"}, .sum = 0.0}}}));
  EXPECT_NO_THROW(Space({.parameters = {wide("a", 1e6, real), wide("b", 1e6, real)},
                         .mixtures = {{.parameters = {"a", "b"}, .sum = 1.0}}}));
  EXPECT_NO_THROW(
      Space({.parameters = {wide("a", 1e6, real), wide("b", 1e6, real)},
             .constraints = {parse_constraint("a + b <= 0.3"), parse_constraint("a + b >= 0.3")}}));
  EXPECT_NO_THROW(
      Space({.parameters = {wide("n", 1e8, integer), wide("m", 1e8, integer)},
             .constraints = {parse_constraint("n + m <= 3"), parse_constraint("n + m >= 3"),
                             parse_constraint("n <= 60"), parse_constraint("n >= 50")}}));
}

}  // namespace
}  // namespace oscbo::space
