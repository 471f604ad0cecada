#include "oscbo/problem.hpp"

#include <cmath>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "numeric/random_stream.hpp"
#include "problems/sample_names_test_support.hpp"

namespace oscbo {
namespace {

const std::vector<std::string>& sample_names() {
  static const std::vector<std::string> names = {"hartmann3",
                                                 "hartmann6",
                                                 "branin",
                                                 "levy1",
                                                 "levy5",
                                                 "levy50",
                                                 "ackley1",
                                                 "ackley10",
                                                 "rosenbrock2",
                                                 "rosenbrock20",
                                                 "michalewicz1",
                                                 "michalewicz5",
                                                 "michalewicz100",
                                                 "styblinski-tang1",
                                                 "styblinski-tang30",
                                                 "rot-levy5",
                                                 "rot-styblinski-tang5",
                                                 "rot-hartmann6",
                                                 "rot-branin",
                                                 "rot-rosenbrock4",
                                                 "rot-michalewicz9"};
  return names;
}

std::optional<Error> refusal(std::string_view name) {
  try {
    static_cast<void>(make_problem(name));
  } catch (const Error& error) {
    return error;
  }
  return std::nullopt;
}

class EveryProblem : public testing::TestWithParam<std::string> {
 protected:
  Problem problem = make_problem(GetParam());
  std::vector<Bounds> bounds = problem.space.bounds();
};

TEST_P(EveryProblem, IsConsistent) {
  EXPECT_EQ(problem.name, GetParam());
  ASSERT_EQ(problem.maximiser.size(), bounds.size());
  for (std::size_t j = 0; j < bounds.size(); ++j) {
    EXPECT_LT(bounds[j].lower, problem.maximiser[j]);
    EXPECT_GT(bounds[j].upper, problem.maximiser[j]);
  }
}

TEST_P(EveryProblem, AttainsItsMaximum) {
  EXPECT_NEAR(problem.value(problem.maximiser), problem.maximum,
              1e-14 * (1.0 + std::abs(problem.maximum)));
}

// A central difference with step h is zero up to the third derivative times h^2 and rounding over
// h. Ackley's peak is a cone, so there it compares the two sides, which must fall equally.
TEST_P(EveryProblem, IsStationaryAtItsMaximiser) {
  constexpr double kStep = 1e-5;
  const double scale = 1.0 + std::abs(problem.maximum);
  for (std::size_t j = 0; j < problem.maximiser.size(); ++j) {
    std::vector<double> ahead = problem.maximiser;
    std::vector<double> behind = problem.maximiser;
    ahead[j] += kStep;
    behind[j] -= kStep;
    const double above = problem.value(ahead);
    const double below = problem.value(behind);
    EXPECT_LT(above, problem.maximum);
    EXPECT_LT(below, problem.maximum);
    EXPECT_NEAR((above - below) / (2.0 * kStep), 0.0, 1e-6 * scale) << "coordinate " << j;
  }
}

TEST_P(EveryProblem, RandomSearchNeverExceedsTheMaximum) {
  const double rounding = 1e-14 * (1.0 + std::abs(problem.maximum));
  numeric::RandomStream stream(1, numeric::Purpose::raw_samples);
  std::vector<double> x(bounds.size());
  for (int i = 0; i < 5000; ++i) {
    const double spread =
        std::pow(stream.uniform(), 4.0);  // many points are close to the maximiser
    for (std::size_t j = 0; j < x.size(); ++j) {
      const auto [lower, upper] = bounds[j];
      const double anywhere = lower + (upper - lower) * stream.uniform();
      x[j] = problem.maximiser[j] + spread * (anywhere - problem.maximiser[j]);
    }
    ASSERT_LE(problem.value(x), problem.maximum + rounding);
  }
}

TEST_P(EveryProblem, RefusesPointsOfAnotherDimension) {
  const std::size_t dimension = bounds.size();
  for (const std::size_t wrong : {std::size_t{0}, dimension - 1, dimension + 1}) {
    try {
      problem.value(std::vector<double>(wrong, 0.5));
      FAIL() << "accepted " << wrong << " coordinates";
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::invalid_value);
      EXPECT_EQ(error.field(), "x");
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Problems, EveryProblem, testing::ValuesIn(sample_names()),
                         test::name_of_sample);

TEST(MakeProblem, ReturnsTheDocumentedBoxes) {
  const auto box = [](std::string_view name) {
    std::vector<std::vector<double>> intervals;
    for (const Bounds& bounds : make_problem(name).space.bounds()) {
      intervals.push_back({bounds.lower, bounds.upper});
    }
    return intervals;
  };
  using Box = std::vector<std::vector<double>>;
  EXPECT_EQ(box("branin"), (Box{{-5.0, 10.0}, {0.0, 15.0}}));
  EXPECT_EQ(box("hartmann3"), (Box{{0.0, 1.0}, {0.0, 1.0}, {0.0, 1.0}}));
  EXPECT_EQ(box("levy2"), (Box{{-10.0, 10.0}, {-10.0, 10.0}}));
  EXPECT_EQ(box("ackley1"), (Box{{-32.768, 30.0}}));
  EXPECT_EQ(box("rosenbrock2"), (Box{{-5.0, 10.0}, {-5.0, 10.0}}));
  EXPECT_EQ(box("michalewicz1"), (Box{{0.0, 3.141592653589793}}));
  EXPECT_EQ(box("styblinski-tang1"), (Box{{-5.0, 5.0}}));
  EXPECT_EQ(box("hartmann6").size(), 6U);
}

TEST(MakeProblem, ReturnsTheDocumentedMaxima) {
  EXPECT_NEAR(make_problem("hartmann3").maximum, 3.86278, 5e-6);
  EXPECT_NEAR(make_problem("hartmann6").maximum, 3.32237, 5e-6);
  EXPECT_NEAR(make_problem("branin").maximum, -0.397887, 5e-7);
  EXPECT_NEAR(make_problem("michalewicz5").maximum, 4.687658, 5e-7);
  EXPECT_NEAR(make_problem("styblinski-tang3").maximum, 3 * 39.166166, 1.5e-6);
  EXPECT_EQ(make_problem("levy5").maximum, 0.0);
}

TEST(MakeProblem, AcceptsDimensionsUpToAThousand) {
  for (const ProblemInfo& info : problems()) {
    if (const std::size_t mark = info.name.find("<d>"); mark != std::string::npos) {
      EXPECT_EQ(make_problem(info.name.substr(0, mark) + "1000").space.dimension(), 1000U);
    }
  }
}

TEST(MakeProblem, RefusesDimensionsOutsideTheRange) {
  for (const std::string_view name :
       {"levy0", "levy1001", "levy99999999999999999999999", "rosenbrock1", "styblinski-tang0"}) {
    const std::optional<Error> error = refusal(name);
    ASSERT_TRUE(error) << name;
    EXPECT_EQ(error->code(), ErrorCode::invalid_value) << name;
    EXPECT_EQ(error->field(), "task");
  }
  EXPECT_STREQ(refusal("rosenbrock1")->what(),
               "task: 'rosenbrock1' is not accepted; the dimension of rosenbrock<d> must be in "
               "[2, 1000]");
}

TEST(MakeProblem, RefusesMisspeltNames) {
  for (const std::string_view name :
       {"", "5", "levy", "levy-1", "levy+5", "levy05", "levy00", "levy5x", "levy 5", " levy5",
        "levy5.0", "levy<d>", "Levy5", "hartmann", "hartmann4", "hartmann03", "branin2",
        "styblinski5", "nosuch"}) {
    const std::optional<Error> error = refusal(name);
    ASSERT_TRUE(error) << name;
    EXPECT_EQ(error->code(), ErrorCode::unknown_name) << name;
    EXPECT_NE(std::string(error->what()).find("levy<d>"), std::string::npos) << error->what();
  }
}

TEST(MakeProblem, SuggestsSimilarNames) {
  const auto suggests = [](std::string_view name, const std::string& meant) {
    const std::string message = refusal(name).value().what();
    return message.find("did you mean " + meant + "?") != std::string::npos;
  };
  EXPECT_TRUE(suggests("levi5", "levy<d>"));
  EXPECT_TRUE(suggests("levy", "levy<d>"));
  EXPECT_TRUE(suggests("rosenbrok2", "rosenbrock<d>"));
  EXPECT_TRUE(suggests("hartmann4", "hartmann3"));
  EXPECT_TRUE(suggests("hartman6", "hartmann6"));
  EXPECT_TRUE(suggests("styblinski_tang3", "styblinski-tang<d>"));
  EXPECT_TRUE(suggests("rot-levi5", "rot-levy<d>"));
  EXPECT_TRUE(suggests("lunar", "lunar12"));
  EXPECT_TRUE(suggests("lunar12-quik", "lunar12-quick"));
  EXPECT_TRUE(suggests("concret7", "concrete7"));
  EXPECT_TRUE(suggests("material", "material5"));
  EXPECT_TRUE(suggests("tabel:some/long-name2.csv", "table:FILE.csv"));
  EXPECT_TRUE(suggests("table_min:a.csv", "table-min:FILE.csv"));
  EXPECT_STREQ(refusal("griewank")->what(),
               "task: no task is called 'griewank' (tasks: hartmann3, hartmann6, branin, levy<d>, "
               "ackley<d>, rosenbrock<d>, michalewicz<d>, styblinski-tang<d>, lunar12, "
               "lunar12-quick, rot-NAME, hartmann6-levels, ackley5-int, levy5-log, branin-regions, "
               "rosenbrock4-switch, two-models, mixture5, gramacy, gardner, hartmann6-fails, "
               "branin-fails, material5, concrete7, crossbarrel4, table:FILE.csv, "
               "table-min:FILE.csv; <d> is a dimension, as in "
               "levy5)");
}

TEST(MakeProblem, RotatesOnlyFunctionsThatKeepTheirMaximum) {
  for (const std::string_view name :
       {"rot-michalewicz10", "rot-lunar12", "rot-levy1", "rot-levy1001"}) {
    const std::optional<Error> error = refusal(name);
    ASSERT_TRUE(error) << name;
    EXPECT_EQ(error->code(), ErrorCode::invalid_value) << name;
    EXPECT_EQ(error->field(), "task");
  }
  for (const std::string_view name :
       {"rot-", "rot-material5", "rot-rot-levy5", "rot-table:a.csv"}) {
    const std::optional<Error> error = refusal(name);
    ASSERT_TRUE(error) << name;
    EXPECT_EQ(error->code(), ErrorCode::unknown_name) << name;
  }
}

TEST(MakeProblem, RotatedFunctionsAreNotSumsOverCoordinates) {
  // For a sum, f(a, b) + f(0, 0) = f(a, 0) + f(0, b), about any origin.
  const auto interaction = [](std::string_view name) {
    const Problem problem = make_problem(name);
    return problem.value(std::vector{2.0, 1.5}) + problem.value(std::vector{0.0, 0.0}) -
           problem.value(std::vector{2.0, 0.0}) - problem.value(std::vector{0.0, 1.5});
  };
  EXPECT_NEAR(interaction("styblinski-tang2"), 0.0, 1e-12);
  EXPECT_GT(std::abs(interaction("rot-styblinski-tang2")), 1.0);
}

TEST(MakeProblem, NamesTheSourceOfLanderValues) {
  const std::string source = make_problem("lunar12").source;
  EXPECT_TRUE(source.starts_with("reference 299.36967438770807, Box2D 2.")) << source;
  EXPECT_TRUE(
      make_problem("lunar12-quick").source.starts_with("reference 303.73007216837595, Box2D 2."));
}

TEST(Problems, EveryListedProblemCanBeMade) {
  ASSERT_EQ(problems().size(), 27U);
  for (const ProblemInfo& info : problems()) {
    EXPECT_FALSE(info.domain.empty());
    EXPECT_FALSE(info.meaning.empty());
    if (info.domain.find("table") != std::string::npos) continue;  // needs a file
    if (info.name == "rot-NAME") continue;                         // needs a name
    const std::size_t mark = info.name.find("<d>");
    const std::string name =
        mark == std::string::npos ? info.name : info.name.substr(0, mark) + "4";
    EXPECT_EQ(make_problem(name).name, name);
  }
}

}  // namespace
}  // namespace oscbo
