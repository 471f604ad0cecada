#include "problems/mixed_problems.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <numbers>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "numeric/random_stream.hpp"
#include "problems/functions.hpp"
#include "problems/problem_info.hpp"

namespace oscbo::mixed {
namespace {

using functions::Optimum;
using functions::Point;

constexpr double kNotActive = std::numeric_limits<double>::quiet_NaN();

struct Task {
  std::string_view name;
  std::string_view domain;
  std::string_view meaning;
  SpaceDeclaration space;
  double (*value)(Point);
  Optimum optimum;
  std::vector<double> (*outcomes)(Point) = nullptr;
  bool (*fails)(Point x, std::uint64_t seed, std::uint64_t evaluation) = nullptr;
  double worst = 0.0;
};

/// The real parameters x1, x2, ... of a cube.
std::vector<Parameter> cube(std::size_t dimension, Bounds side) {
  std::vector<Parameter> parameters;
  for (std::size_t k = 1; k <= dimension; ++k) {
    parameters.push_back({.name = fmt::format("x{}", k), .lower = side.lower, .upper = side.upper});
  }
  return parameters;
}

std::vector<Parameter> branin_box() {
  return {{.name = "x1", .lower = -5.0, .upper = 10.0},
          {.name = "x2", .lower = 0.0, .upper = 15.0}};
}

// --- hartmann6-levels: x1 and x4 in steps of 1/4 -------------------------------------------------

SpaceDeclaration hartmann6_levels_space() {
  std::vector<Parameter> parameters = cube(6, {0.0, 1.0});
  parameters[0].step = 0.25;
  parameters[3].step = 0.25;
  return {.parameters = std::move(parameters)};
}

// This is the best of the 25 combinations of levels. x2, x3, x5 and x6 were computed by Newton's
// method in 50-digit arithmetic. The second best combination, x1 = 0 and x4 = 0.25, reaches 2.8257.
Optimum hartmann6_levels_optimum() {
  return {3.2735831555942324,
          {0.25, 0.14989313345445972, 0.47474819063797090, 0.25, 0.31134364753309944,
           0.65764520681997189}};
}

// --- ackley5-int: x1, x2 and x3 are integers -----------------------------------------------------

SpaceDeclaration ackley5_int_space() {
  std::vector<Parameter> parameters = cube(5, {-32.768, 30.0});
  for (std::size_t k = 0; k < 3; ++k) {
    parameters[k].kind = ParameterKind::integer;
    parameters[k].lower = -32.0;
  }
  return {.parameters = std::move(parameters)};
}

// --- levy5-log: x1 = 5 log10(s) ------------------------------------------------------------------

SpaceDeclaration levy5_log_space() {
  std::vector<Parameter> parameters = cube(5, {-10.0, 10.0});
  parameters[0] = {.name = "s", .lower = 0.01, .upper = 100.0, .log = true};
  return {.parameters = std::move(parameters)};
}

double levy5_log(Point x) {
  return functions::levy(std::array{5.0 * std::log10(x[0]), x[1], x[2], x[3], x[4]});
}

// --- branin-regions: x1 = -5 + 15/4 (r + t), r the number of the region --------------------------

constexpr std::array kRegionNumbers = {2.0, 0.0, 3.0, 1.0};  // of a, b, c, d, in no order
constexpr double kRegionLength = 15.0 / 4.0;

SpaceDeclaration branin_regions_space() {
  return {
      .parameters = {
          {.name = "region", .kind = ParameterKind::categorical, .values = {"a", "b", "c", "d"}},
          {.name = "t", .lower = 0.0, .upper = 1.0},
          {.name = "x2", .lower = 0.0, .upper = 15.0}}};
}

double branin_regions(Point x) {
  const double number = kRegionNumbers.at(static_cast<std::size_t>(std::lround(x[0])));
  return functions::branin(std::array{-5.0 + kRegionLength * (number + x[1]), x[2]});
}

/// The maximum at x1 = pi is in region number 2, which is called a.
Optimum branin_regions_optimum() {
  const Optimum branin = functions::branin_optimum(2);
  const double t = (branin.maximiser[0] + 5.0) / kRegionLength - 2.0;
  return {branin.maximum, {0.0, t, branin.maximiser[1]}};
}

// --- rosenbrock4-switch: if `full` is false, the last two of its three terms are 10 each ---------

SpaceDeclaration rosenbrock4_switch_space() {
  std::vector<Parameter> parameters = cube(4, {-5.0, 10.0});
  parameters.insert(parameters.begin(), {.name = "full", .kind = ParameterKind::boolean});
  return {.parameters = std::move(parameters)};
}

double rosenbrock4_switch(Point x) {
  const bool is_full = x[0] > 0.5;
  const Point native = x.subspan(1);
  return is_full ? functions::rosenbrock(native) : functions::rosenbrock(native.first(2)) - 20.0;
}

// --- two-models: branin with model a, hartmann3 with model b, which is better by 1/2 -------------

constexpr double kIntegerSteps = 20.0;

// hartmann3 with its third coordinate restricted to multiples of 1/20. The best is at 17/20. The
// other coordinates were computed by Newton's method in 50-digit arithmetic.
constexpr double kBestOfModelB = 3.8621573434107988;

SpaceDeclaration two_models_space() {
  const Condition with_a{.parameter = "model", .values = {"a"}};
  const Condition with_b{.parameter = "model", .values = {"b"}};
  return {
      .parameters = {{.name = "model", .kind = ParameterKind::categorical, .values = {"a", "b"}},
                     {.name = "u", .lower = -5.0, .upper = 10.0, .when = with_a},
                     {.name = "v", .lower = 0.0, .upper = 15.0, .when = with_a},
                     {.name = "z1", .lower = 0.0, .upper = 1.0, .when = with_b},
                     {.name = "z2", .lower = 1e-4, .upper = 1.0, .log = true, .when = with_b},
                     {.name = "z3",
                      .kind = ParameterKind::integer,
                      .lower = 0.0,
                      .upper = kIntegerSteps,
                      .when = with_b}}};
}

double two_models(Point x) {
  const bool is_a = x[0] < 0.5;
  if (is_a) return functions::branin(x.subspan(1, 2)) - functions::branin_optimum(2).maximum - 0.5;
  const double place_on_log_scale = 1.0 + std::log10(x[4]) / 4.0;
  return functions::hartmann3(std::array{x[3], place_on_log_scale, x[5] / kIntegerSteps}) -
         kBestOfModelB;
}

Optimum two_models_optimum() {
  return {0.0, {1.0, kNotActive, kNotActive, 0.11549370945473279, 0.016662725366204443, 17.0}};
}

// --- mixture5: 1 - sum_i w_i (c_i - m_i)^2 with sum c_i = 1 and c1 + c2 <= 0.4 -------------------
//
// Because sum c_i = 1, this is the Scheffe polynomial sum_i b_i c_i + sum_{i<j} (w_i + w_j) c_i c_j
// with b_i = 1 + w_i (2 m_i - 1) - sum_k w_k m_k^2. Its maximum over all mixtures is 1, at m, where
// c1 + c2 = 0.55. To reach c1 + c2 = 0.4, c1 and c2 decrease by 0.15 and the others increase by
// 0.15, each in proportion to 1 / w_i: (-0.1, -0.05) and (0.075, 0.0375, 0.0375). The loss is 10
// (0.1^2 + 0.075^2) + 20 (0.05^2 + 2 * 0.0375^2) = 0.2625.

constexpr std::array kMixtureWeights = {10.0, 20.0, 10.0, 20.0, 20.0};
constexpr std::array kMixtureCentre = {0.3, 0.25, 0.2, 0.15, 0.1};

SpaceDeclaration mixture5_space() {
  SpaceDeclaration space;
  Mixture mixture;
  for (std::size_t k = 1; k <= kMixtureCentre.size(); ++k) {
    space.parameters.push_back({.name = fmt::format("c{}", k)});
    mixture.parameters.push_back(space.parameters.back().name);
  }
  space.mixtures.push_back(std::move(mixture));
  space.constraints.push_back(parse_constraint("c1 + c2 <= 0.4"));
  return space;
}

double mixture5(Point x) {
  double value = 1.0;
  for (std::size_t k = 0; k < kMixtureCentre.size(); ++k) {
    const double distance = x[k] - kMixtureCentre[k];
    value -= kMixtureWeights[k] * distance * distance;
  }
  return value;
}

// --- gramacy: R. B. Gramacy et al., "Modeling an augmented Lagrangian for blackbox constrained
// optimization", Technometrics 58(1), 2016, the toy problem ---------------------------------------

SpaceDeclaration gramacy_space() {
  return {.parameters = cube(2, {0.0, 1.0}),
          .outcomes = {{.name = "c1", .upper = 0.0}, {.name = "c2", .upper = 0.0}}};
}

double gramacy(Point x) { return -x[0] - x[1]; }

std::vector<double> gramacy_outcomes(Point x) {
  const double angle = 2.0 * std::numbers::pi * (x[0] * x[0] - 2.0 * x[1]);
  return {1.5 - x[0] - 2.0 * x[1] - 0.5 * std::sin(angle), x[0] * x[0] + x[1] * x[1] - 1.5};
}

// The solution of c1 = 0 and dc1/dx1 = dc1/dx2, computed by Newton's method in 50-digit arithmetic.
// x2 is 2e-15 above the root, so that rounding does not make c1 positive.
Optimum gramacy_optimum() {
  return {-0.59978805201006756, {0.19512268347207176, 0.40466536853799780}};
}

// --- gardner: J. R. Gardner et al., "Bayesian optimization with inequality constraints", ICML
// 2014, the first simulation ----------------------------------------------------------------------

SpaceDeclaration gardner_space() {
  return {.parameters = {{.name = "x", .lower = 0.0, .upper = 6.0},
                         {.name = "y", .lower = 0.0, .upper = 6.0}},
          .outcomes = {{.name = "c", .upper = 0.5}}};
}

double gardner(Point x) { return -std::cos(2.0 * x[0]) * std::cos(x[1]) - std::sin(x[0]); }

std::vector<double> gardner_outcomes(Point x) {
  return {std::cos(x[0]) * std::cos(x[1]) - std::sin(x[0]) * std::sin(x[1])};
}

// No value exceeds 2. At this point both terms are 1, and c = cos(x + y) is 0.
Optimum gardner_optimum() { return {2.0, {1.5 * std::numbers::pi, 0.0}}; }

// --- hartmann6-fails, branin-fails ---------------------------------------------------------------

/// Evaluations fail at random in the lower fifth of one parameter's range, and always in the upper
/// fifth.
bool fails_at_the_ends(double value, Bounds range, std::uint64_t seed, std::uint64_t evaluation) {
  constexpr double kProbability = 0.3;
  const double share = (value - range.lower) / (range.upper - range.lower);
  if (share >= 0.8) return true;
  numeric::RandomStream stream(seed, numeric::Purpose::evaluation_failure, evaluation);
  return share < 0.2 && stream.uniform() < kProbability;
}

/// Evaluations fail at random at the maximiser, and always at the top of the second highest hill.
bool hartmann6_fails(Point x, std::uint64_t seed, std::uint64_t evaluation) {
  return fails_at_the_ends(x[1], {0.0, 1.0}, seed, evaluation);
}

/// Evaluations fail at random at one of the three maximisers, and always at another.
bool branin_fails(Point x, std::uint64_t seed, std::uint64_t evaluation) {
  return fails_at_the_ends(x[0], {-5.0, 10.0}, seed, evaluation);
}

// NOLINTNEXTLINE(readability-function-size): a table
const std::vector<Task>& tasks() {
  namespace f = functions;
  static const std::vector<Task> all = {
      {.name = "hartmann6-levels",
       .domain = "[0, 1]^6, two of them in steps of 0.25",
       .meaning = "hartmann6 with x1 and x4 on five levels; maximum 3.273583",
       .space = hartmann6_levels_space(),
       .value = f::hartmann6,
       .optimum = hartmann6_levels_optimum()},
      {.name = "ackley5-int",
       .domain = "three integers in [-32, 30], [-32.768, 30]^2",
       .meaning = "ackley5 with integers; maximum 0 at the origin",
       .space = ackley5_int_space(),
       .value = f::ackley,
       .optimum = f::ackley_optimum(5)},
      {.name = "levy5-log",
       .domain = "[0.01, 100] on a log scale, [-10, 10]^4",
       .meaning = "levy5 with x1 = 5 log10(s); maximum 0",
       .space = levy5_log_space(),
       .value = levy5_log,
       .optimum = {0.0, {std::pow(10.0, 0.2), 1.0, 1.0, 1.0, 1.0}}},
      {.name = "branin-regions",
       .domain = "one of four regions, [0, 1] x [0, 15]",
       .meaning = "branin with x1 as the name of a region and a place in it; maximum -0.397887",
       .space = branin_regions_space(),
       .value = branin_regions,
       .optimum = branin_regions_optimum()},
      {.name = "rosenbrock4-switch",
       .domain = "a switch, [-5, 10]^4",
       .meaning = "rosenbrock4, or its first term minus 20; maximum 0 with the switch on",
       .space = rosenbrock4_switch_space(),
       .value = rosenbrock4_switch,
       .optimum = {0.0, std::vector<double>(5, 1.0)}},
      {.name = "two-models",
       .domain = "a choice, then its own two or three parameters",
       .meaning = "branin or hartmann3, each with its own parameters; maximum 0 with b",
       .space = two_models_space(),
       .value = two_models,
       .optimum = two_models_optimum()},
      {.name = "mixture5",
       .domain = "five shares that sum to 1, c1 + c2 <= 0.4",
       .meaning = "a quadratic polynomial of a mixture; maximum 0.7375, where c1 + c2 = 0.4",
       .space = mixture5_space(),
       .value = mixture5,
       .optimum = {0.7375, {0.2, 0.2, 0.275, 0.1875, 0.1375}}},
      {.name = "gramacy",
       .domain = "[0, 1]^2, two outcomes with a limit",
       .meaning = "-x1 - x2 beyond a curved limit; maximum -0.599788",
       .space = gramacy_space(),
       .value = gramacy,
       .optimum = gramacy_optimum(),
       .outcomes = gramacy_outcomes,
       .worst = -2.0},
      {.name = "gardner",
       .domain = "[0, 6]^2, one outcome with a limit",
       .meaning = "waves, partly not acceptable; maximum 2",
       .space = gardner_space(),
       .value = gardner,
       .optimum = gardner_optimum(),
       .outcomes = gardner_outcomes,
       .worst = -2.0},
      {.name = "hartmann6-fails",
       .domain = "[0, 1]^6; a fifth always fails, another sometimes",
       .meaning = "hartmann6 with evaluations that fail; maximum 3.32237",
       .space = {.parameters = cube(6, {0.0, 1.0})},
       .value = f::hartmann6,
       .optimum = f::hartmann6_optimum(6),
       .fails = hartmann6_fails},
      {.name = "branin-fails",
       .domain = "[-5, 10] x [0, 15]; a fifth always fails, another sometimes",
       .meaning = "branin with evaluations that fail; maximum -0.397887",
       .space = {.parameters = branin_box()},
       .value = f::branin,
       .optimum = f::branin_optimum(2),
       .fails = branin_fails,
       .worst = f::branin(std::array{-5.0, 0.0})},
  };
  return all;
}

/// Returns `function` with a check that its argument is a point of the space.
template <class Function>
auto on(const Space& space, Function function) {
  return [space, function](Point x, auto... rest) {
    space.check(x);
    return function(x, rest...);
  };
}

Problem build(const Task& task) {
  const Space space(task.space);
  Problem problem{.name = std::string(task.name),
                  .space = space,
                  .value = on(space, task.value),
                  .maximum = task.optimum.maximum,
                  .maximiser = task.optimum.maximiser,
                  .worst = task.worst};
  for (const Parameter& parameter : task.space.parameters) {
    problem.parameters.push_back({parameter.name});
  }
  if (task.outcomes != nullptr) problem.outcomes = on(space, task.outcomes);
  if (task.fails != nullptr) problem.fails = on(space, task.fails);
  return problem;
}

}  // namespace

std::vector<ProblemInfo> mixed_problems() {
  std::vector<ProblemInfo> infos;
  for (const Task& task : tasks()) infos.push_back(info_of(task));
  return infos;
}

std::optional<Problem> make_mixed_problem(std::string_view name) {
  const auto task = std::ranges::find(tasks(), name, &Task::name);
  return task == tasks().end() ? std::nullopt : std::optional(build(*task));
}

}  // namespace oscbo::mixed
