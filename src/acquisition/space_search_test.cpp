#include "acquisition/space_search.hpp"

#include <cmath>
#include <set>

#include <gtest/gtest.h>

#include "gp/kernel.hpp"
#include "gp/surrogate.hpp"

namespace oscbo::acquisition {
namespace {

using space::Coordinates;
using enum ParameterKind;

/// A Gaussian process that was fitted to `f` at points all over a space. Its mean is the merit.
class SeenFunction {
 public:
  SeenFunction(const space::Domain& domain, const std::function<double(const Coordinates&)>& f,
               int points)
      : model_(gp::make_kernel({}, layout_of_columns(domain)), 1e-6) {
    const auto columns = static_cast<Index>(domain.column_count());
    gp::Inputs inputs(columns);
    Vector y(points);
    numeric::RandomStream stream(1, numeric::Purpose::simulated_function);
    const space::Region region(domain);
    for (int i = 0; i < points; ++i) {
      const Coordinates u = *region.draw(stream);
      inputs.append(domain.to_columns(u).entries());
      y[i] = f(u);
    }
    model_.fit(inputs, y, Vector::Constant(1, 0.5));
  }

  [[nodiscard]] Merit merit() {
    return {Merit::Objective{{.model = &model_, .scaling = InputScaling::identity(columns_)},
                             UpperConfidenceBound{}},
            {}};
  }

 private:
  gp::Layout layout_of_columns(const space::Domain& domain) {
    columns_ = static_cast<Index>(domain.column_count());
    std::vector<gp::ParameterShape> shapes;
    for (std::size_t k = 0; k < domain.size(); ++k) {
      shapes.push_back({domain.parameter_columns(k).kind == space::ParameterColumns::Kind::category
                            ? gp::ParameterKind::categorical
                            : gp::ParameterKind::numeric});
    }
    return gp::Layout(shapes);
  }

  Index columns_ = 0;
  gp::Surrogate model_;
};

SpaceSearch search() {
  return SpaceSearch(
      {.solver = AcquisitionOptions::Solver::bfgs, .raw_samples = 64, .restarts = 3});
}

TEST(SpaceSearch, EvaluatesEveryPointOfASmallSpace) {
  const space::Domain domain(
      {.parameters = {{.name = "c", .kind = categorical, .values = {"x", "y", "z"}},
                      {.name = "n", .kind = integer, .lower = 0.0, .upper = 9.0}}});
  const auto f = [](const Coordinates& u) {
    return (u[0] == 1.0 ? 1.0 : 0.0) - std::abs(u[1] - 0.7);
  };
  SeenFunction seen(domain, f, 60);
  Merit merit = seen.merit();
  std::set<Coordinates> taken;
  SpaceArea area{.region = space::Region(domain)};
  area.is_taken = [&](const Coordinates& u) { return taken.contains(u); };
  double last = std::numeric_limits<double>::infinity();
  for (int i = 0; i < 30; ++i) {
    const auto found = search().maximise(merit, area, 1, static_cast<std::uint64_t>(i));
    ASSERT_TRUE(found);
    EXPECT_LE(found->value, last) << "must be the best remaining point";
    last = found->value;
    taken.insert(found->u);
  }
  EXPECT_EQ(taken.size(), 30U);
  EXPECT_FALSE(search().maximise(merit, area, 1, 30));
}

TEST(SpaceSearch, ClimbsNumbersAndMovesLevels) {
  const space::Domain domain(
      {.parameters = {{.name = "c", .kind = categorical, .values = {"x", "y", "z", "w"}},
                      {.name = "n", .kind = integer, .lower = 0.0, .upper = 40.0},
                      {.name = "t"}}});
  const auto f = [](const Coordinates& u) {
    return (u[0] == 2.0 ? 0.5 : 0.0) - std::pow(u[1] - 0.5, 2) - std::pow(u[2] - 0.3, 2);
  };
  SeenFunction seen(domain, f, 120);
  Merit merit = seen.merit();
  const auto found = search().maximise(merit, {.region = space::Region(domain)}, 1, 1);
  ASSERT_TRUE(found);
  EXPECT_EQ(found->u[0], 2.0);
  EXPECT_NEAR(found->u[1], 0.5, 0.051);
  EXPECT_NEAR(found->u[2], 0.3, 0.05);
  EXPECT_NO_THROW(domain.check(domain.from_coordinates(found->u), "x"));
}

TEST(SpaceSearch, StaysWithinConstraints) {
  const space::Domain domain({.parameters = {{.name = "a"}, {.name = "b"}, {.name = "c"}},
                              .mixtures = {{.parameters = {"a", "b", "c"}}},
                              .constraints = {parse_constraint("a <= 0.5")}});
  SeenFunction seen(
      domain, [](const Coordinates& u) { return u[0] - std::pow(u[1] - 0.2, 2); }, 60);
  Merit merit = seen.merit();
  const auto found = search().maximise(merit, {.region = space::Region(domain)}, 1, 1);
  ASSERT_TRUE(found);
  EXPECT_NEAR(found->u[0], 0.5, 1e-6);
  EXPECT_NEAR(found->u[0] + found->u[1] + found->u[2], 1.0, 1e-12);
  EXPECT_NEAR(found->u[1], 0.2, 0.05);
}

}  // namespace
}  // namespace oscbo::acquisition
