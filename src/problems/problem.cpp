#include "oscbo/problem.hpp"

#include <algorithm>
#include <charconv>
#include <iterator>
#include <limits>
#include <numbers>
#include <numeric>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "problems/functions.hpp"
#include "problems/lander_problem.hpp"
#include "problems/mixed_problems.hpp"
#include "problems/point_check.hpp"
#include "problems/problem_info.hpp"
#include "problems/rotation.hpp"
#include "problems/table_problem.hpp"

namespace oscbo {
namespace {

using functions::Optimum;
using functions::Point;

constexpr std::string_view kDimensionMark = "<d>";
constexpr std::string_view kRotated = "rot-";  // before the name of a problem
constexpr std::size_t kMaxDimension = 1000;

struct Definition {
  std::string_view name;  // "branin", or "levy<d>" for a family
  std::string_view domain;
  std::string_view meaning;
  std::size_t min_dimension;  // equal to the maximum unless the name has a <d>
  std::size_t max_dimension;
  std::vector<Bounds> box;  // one interval for all coordinates, or one for each
  double (*value)(Point);
  Optimum (*optimum)(std::size_t dimension);
  std::string (*source)(double maximum) = nullptr;  // none for a formula
  /// The largest dimension in which it can be rotated, 0 for none. Its box is a cube, and no value
  /// around the cube exceeds its maximum.
  std::size_t rotates_up_to = 0;

  [[nodiscard]] bool is_family() const { return name.ends_with(kDimensionMark); }

  /// The name without its <d>.
  [[nodiscard]] std::string_view stem() const {
    return is_family() ? name.substr(0, name.size() - kDimensionMark.size()) : name;
  }
};

// NOLINTNEXTLINE(readability-function-size): a table
const std::vector<Definition>& definitions() {
  namespace f = functions;
  static const std::vector<Definition> all = {
      {.name = "hartmann3",
       .domain = "[0, 1]^3",
       .meaning = "four peaks; maximum 3.86278",
       .min_dimension = 3,
       .max_dimension = 3,
       .box = {{0.0, 1.0}},
       .value = f::hartmann3,
       .optimum = f::hartmann3_optimum,
       .rotates_up_to = 3},
      {.name = "hartmann6",
       .domain = "[0, 1]^6",
       .meaning = "four peaks; maximum 3.32237",
       .min_dimension = 6,
       .max_dimension = 6,
       .box = {{0.0, 1.0}},
       .value = f::hartmann6,
       .optimum = f::hartmann6_optimum,
       .rotates_up_to = 6},
      {.name = "branin",
       .domain = "[-5, 10] x [0, 15]",
       .meaning = "a curved ridge with three equal maxima, -0.397887",
       .min_dimension = 2,
       .max_dimension = 2,
       .box = {{-5.0, 10.0}, {0.0, 15.0}},
       .value = f::branin,
       .optimum = f::branin_optimum,
       .rotates_up_to = 2},
      {.name = "levy<d>",
       .domain = "[-10, 10]^d",
       .meaning = "a rippled bowl; maximum 0 at (1, ..., 1)",
       .min_dimension = 1,
       .max_dimension = kMaxDimension,
       .box = {{-10.0, 10.0}},
       .value = f::levy,
       .optimum = f::levy_optimum,
       .rotates_up_to = kMaxDimension},
      {.name = "ackley<d>",
       .domain = "[-32.768, 30]^d",
       .meaning = "a narrow peak on a rippled plain; maximum 0 at the origin",
       .min_dimension = 1,
       .max_dimension = kMaxDimension,
       .box = {{-32.768, 30.0}},
       .value = f::ackley,
       .optimum = f::ackley_optimum,
       .rotates_up_to = kMaxDimension},
      {.name = "rosenbrock<d>",
       .domain = "[-5, 10]^d",
       .meaning = "a curved valley, d >= 2; maximum 0 at (1, ..., 1)",
       .min_dimension = 2,
       .max_dimension = kMaxDimension,
       .box = {{-5.0, 10.0}},
       .value = f::rosenbrock,
       .optimum = f::rosenbrock_optimum,
       .rotates_up_to = kMaxDimension},
      {.name = "michalewicz<d>",
       .domain = "[0, pi]^d",
       .meaning = "steep ridges, m = 10; maximum 4.687658 for d = 5",
       .min_dimension = 1,
       .max_dimension = kMaxDimension,
       .box = {{0.0, std::numbers::pi}},
       .value = f::michalewicz,
       .optimum = f::michalewicz_optimum,
       .rotates_up_to = 9},  // sin is not positive on [-pi, 0] and [pi, 2 pi]
      {.name = "styblinski-tang<d>",
       .domain = "[-5, 5]^d",
       .meaning = "2^d separate hills; maximum 39.166166 d",
       .min_dimension = 1,
       .max_dimension = kMaxDimension,
       .box = {{-5.0, 5.0}},
       .value = f::styblinski_tang,
       .optimum = f::styblinski_tang_optimum,
       .rotates_up_to = 30},  // beyond 30, hardly any rotation keeps the maximiser in the box
      {.name = "lunar12",
       .domain = "[0, 2]^12",
       .meaning = "return of a lunar lander over 50 terrains; best known 299.37",
       .min_dimension = lander::kWeights,
       .max_dimension = lander::kWeights,
       .box = {{0.0, lander::kMaxWeight}},
       .value = lander::lunar12,
       .optimum = lander::lunar12_optimum,
       .source = lander::source},
      {.name = "lunar12-quick",
       .domain = "[0, 2]^12",
       .meaning = "the first 10 terrains of lunar12; best known 303.73",
       .min_dimension = lander::kWeights,
       .max_dimension = lander::kWeights,
       .box = {{0.0, lander::kMaxWeight}},
       .value = lander::lunar12_quick,
       .optimum = lander::lunar12_quick_optimum,
       .source = lander::source},
  };
  return all;
}

bool is_digit(char c) { return c >= '0' && c <= '9'; }

/// Parses a number without sign, leading zeros or other characters. A number too large for the type
/// becomes its maximum, which is far above any accepted dimension.
std::optional<std::size_t> parse_dimension(std::string_view digits) {
  if (digits.empty() || !std::all_of(digits.begin(), digits.end(), is_digit) ||
      (digits.size() > 1 && digits.front() == '0')) {
    return std::nullopt;
  }
  std::size_t dimension = std::numeric_limits<std::size_t>::max();
  std::from_chars(digits.data(), digits.data() + digits.size(), dimension);
  return dimension;
}

/// Returns the dimension in `name` if it names a problem of `definition`, otherwise nothing.
std::optional<std::size_t> match(const Definition& definition, std::string_view name) {
  if (!name.starts_with(definition.stem())) {
    return std::nullopt;
  }
  const std::string_view rest = name.substr(definition.stem().size());
  if (definition.is_family()) {
    return parse_dimension(rest);
  }
  return rest.empty() ? std::optional(definition.min_dimension) : std::nullopt;
}

/// Returns how many characters must be inserted, removed or replaced to turn `a` into `b`.
std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);  // distances from a's prefix to every prefix of b
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (const char from : a) {
    std::size_t diagonal = row[0]++;
    for (std::size_t j = 0; j < b.size(); ++j) {
      const std::size_t replaced = diagonal + (from == b[j] ? 0 : 1);
      diagonal = row[j + 1];
      row[j + 1] = std::min({replaced, row[j] + 1, row[j + 1] + 1});
    }
  }
  return row.back();
}

/// Returns the part of a name before its <d>, or up to the colon before a file.
std::string_view stem_of(std::string_view name) {
  const std::size_t colon = name.find(':');
  return colon == std::string_view::npos ? name.substr(0, name.find(kDimensionMark))
                                         : name.substr(0, colon + 1);
}

/// Returns "; did you mean levy<d>?" if a name is within two typing errors, ignoring dimension and
/// file.
std::string suggestion(std::string_view name) {
  constexpr std::size_t kTypingErrors = 2;
  const std::string_view prefix = name.starts_with(kRotated) ? kRotated : "";
  const std::string_view typed = stem_of(name.substr(prefix.size()));
  const std::string_view without_digits = typed.substr(0, typed.find_first_of("0123456789"));
  std::string_view best;
  std::size_t best_distance = kTypingErrors + 1;
  for (const ProblemInfo& info : problems()) {
    const std::string_view stem = stem_of(info.name);
    const std::size_t distance =
        std::min(edit_distance(without_digits, stem), edit_distance(typed, stem));
    if (distance < best_distance) {
      best_distance = distance;
      best = info.name;
    }
  }
  return best.empty() ? "" : fmt::format("; did you mean {}{}?", prefix, best);
}

[[noreturn]] void throw_unknown(std::string_view name) {
  std::string names;
  for (const ProblemInfo& info : problems()) {
    names += names.empty() ? "" : ", ";
    names += info.name;
  }
  throw Error(ErrorCode::unknown_name, "task",
              fmt::format("no task is called '{}'{} (tasks: {}; <d> is a dimension, as in levy5)",
                          name, suggestion(name), names));
}

Problem build(const Definition& definition, std::string_view name, std::size_t dimension) {
  if (dimension < definition.min_dimension || dimension > definition.max_dimension) {
    throw Error(ErrorCode::invalid_value, "task",
                fmt::format("'{}' is not accepted; the dimension of {} must be in [{}, {}]", name,
                            definition.name, definition.min_dimension, definition.max_dimension));
  }
  const auto value = [function = definition.value, dimension, task = std::string(name)](Point x) {
    require_coordinates(task, dimension, x);
    return function(x);
  };
  Optimum optimum = definition.optimum(dimension);
  return {.name = std::string(name),
          .space = Space::of_box(definition.box.size() == 1
                                     ? std::vector<Bounds>(dimension, definition.box.front())
                                     : definition.box),
          .value = value,
          .maximum = optimum.maximum,
          .maximiser = std::move(optimum.maximiser),
          .source = definition.source == nullptr ? "" : definition.source(optimum.maximum)};
}

/// Builds the problem for "rot-" and the name of a definition.
Problem build_rotated(const Definition& definition, std::string_view name, std::size_t dimension) {
  if (definition.rotates_up_to == 0) {
    throw Error(ErrorCode::invalid_value, "task",
                fmt::format("'{}' is not accepted; {} cannot be rotated, only test functions can",
                            name, definition.name));
  }
  if (dimension < 2 || dimension > definition.rotates_up_to) {
    throw Error(ErrorCode::invalid_value, "task",
                fmt::format("'{}' is not accepted; the dimension of {}{} must be in [2, {}]", name,
                            kRotated, definition.name, definition.rotates_up_to));
  }
  return rotated(build(definition, name, dimension));
}

}  // namespace

bool Problem::accepts(std::span<const double> values) const {
  return std::ranges::equal(space.declaration().outcomes, values, &Outcome::accepts);
}

const std::vector<ProblemInfo>& problems() {
  static const std::vector<ProblemInfo> all = [] {
    std::vector<ProblemInfo> infos;
    for (const Definition& definition : definitions()) infos.push_back(info_of(definition));
    infos.push_back({fmt::format("{}NAME", kRotated), "that of NAME",
                     "a test function rotated about the centre of its box, as in rot-levy5"});
    std::ranges::move(mixed::mixed_problems(), std::back_inserter(infos));
    std::ranges::move(tables::table_problems(), std::back_inserter(infos));
    return infos;
  }();
  return all;
}

Problem make_problem(std::string_view name, const std::filesystem::path& data) {
  const bool is_rotated = name.starts_with(kRotated);
  const std::string_view original = name.substr(is_rotated ? kRotated.size() : 0);
  for (const Definition& definition : definitions()) {
    if (const std::optional<std::size_t> dimension = match(definition, original)) {
      return is_rotated ? build_rotated(definition, name, *dimension)
                        : build(definition, name, *dimension);
    }
  }
  if (std::optional<Problem> mixed = mixed::make_mixed_problem(name)) return *std::move(mixed);
  if (std::optional<Problem> table = tables::make_table_problem(name, data)) {
    return *std::move(table);
  }
  throw_unknown(name);
}

}  // namespace oscbo
