#include "study_options.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <limits>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <fmt/ranges.h>

namespace oscbo::cli {
namespace {

struct Assignment {
  std::size_t parameter = 0;
  double value = 0.0;
};

Assignment assignment_of(const Space& space, const std::string& text) {
  const std::size_t equals = text.find('=');
  if (equals == std::string::npos) {
    throw Error(ErrorCode::invalid_value, "",
                fmt::format("'{}' is not accepted; use NAME=VALUE", text));
  }
  const std::size_t k = space.index(text.substr(0, equals));
  return {.parameter = k, .value = space.value(k, text.substr(equals + 1))};
}

/// Refuses a point that lacks the value of an active parameter or has one for an inactive
/// parameter.
void check_complete(const Space& space, const std::vector<double>& x) {
  std::vector<std::string> missing;
  for (std::size_t k = 0; k < x.size(); ++k) {
    const std::string& name = space.declaration().parameters[k].name;
    const bool is_active = space.is_active(x, k);
    if (is_active && std::isnan(x[k])) missing.push_back(name);
    if (!is_active && !std::isnan(x[k])) {
      throw Error(ErrorCode::invalid_value, "point",
                  fmt::format("has a value for {}, which is inactive there", name));
    }
  }
  if (!missing.empty()) {
    throw Error(ErrorCode::invalid_value, "point",
                fmt::format("has no value for {}", fmt::join(missing, ", ")));
  }
}

/// Parses assignments "name=value". Refuses a parameter that is given twice.
std::vector<Assignment> assignments_of(const Space& space, std::span<const std::string> texts) {
  std::vector<Assignment> result;
  for (const std::string& text : texts) {
    result.push_back(assignment_of(space, text));
    const std::size_t k = result.back().parameter;
    const auto count = std::count_if(result.begin(), result.end(),
                                     [&](const Assignment& each) { return each.parameter == k; });
    if (count > 1) {
      throw Error(ErrorCode::invalid_value, "",
                  fmt::format("{} is given twice", space.declaration().parameters[k].name));
    }
  }
  return result;
}

}  // namespace

void add_storage(CLI::App& command, std::string& file) {
  const char* const named = std::getenv("OSCBO_STORAGE");
  file = named != nullptr && *named != '\0' ? named : "oscbo.db";
  command
      .add_option("--storage", file,
                  "Database of studies; OSCBO_STORAGE in the environment overrides the default")
      ->type_name("FILE")
      ->capture_default_str();
}

void add_study(CLI::App& command, StudyArguments& arguments) {
  command.add_option("study", arguments.study, "Name of the study")->type_name("STUDY")->required();
  add_storage(command, arguments.storage);
}

void add_trial(CLI::App& command, TrialNumber& number) {
  command.add_option("trial", number, "Number of the trial")->required()->check(decimal_digits());
}

std::optional<double> parse_decimal(std::string_view text) {
  if (text.starts_with('+') && !text.starts_with("+-")) text.remove_prefix(1);
  const char* const end = text.data() + text.size();
  double number = 0.0;
  const auto [stop, code] = std::from_chars(text.data(), end, number);
  if (code != std::errc() || stop != end) return std::nullopt;
  return number;
}

CLI::Validator decimal_number() {
  return {[](const std::string& text) {
            return parse_decimal(text)
                       ? std::string()
                       : fmt::format(
                             "'{}' is not accepted; use a decimal number with a point, as in "
                             "-1.5e-3",
                             text);
          },
          ""};
}

CLI::Validator above_zero() {
  return {[](const std::string& text) {
            double number = 0.0;
            const bool is_accepted = CLI::detail::lexical_cast(text, number) && number > 0.0;
            return is_accepted ? std::string()
                               : fmt::format("'{}' is not accepted; use a number > 0", text);
          },
          ""};
}

CLI::Validator decimal_digits() {
  return {[](const std::string& text) {
            const bool is_decimal = !text.empty() &&
                                    text.find_first_not_of("0123456789") == std::string::npos &&
                                    (text == "0" || text.front() != '0');
            return is_decimal ? std::string()
                              : fmt::format(
                                    "'{}' is not accepted; use decimal digits, without "
                                    "leading zeros",
                                    text);
          },
          ""};
}

Study open_study(const StudyArguments& arguments) {
  return Study::open(StudyStore(arguments.storage), arguments.study);
}

std::vector<double> parse_point(const Space& space, std::span<const std::string> assignments) {
  std::vector<double> x(space.dimension(), std::numeric_limits<double>::quiet_NaN());
  for (std::size_t k = 0; k < x.size(); ++k) {
    const Bounds bounds = space.bounds()[k];
    if (bounds.lower == bounds.upper) x[k] = bounds.lower;  // fixed
  }
  for (const auto& [parameter, value] : assignments_of(space, assignments)) x[parameter] = value;
  check_complete(space, x);
  space.check(x, "point");
  return x;
}

std::vector<Given> parse_given(const Space& space, std::span<const std::string> assignments) {
  std::vector<Given> given;
  given.reserve(assignments.size());
  for (const auto& [parameter, value] : assignments_of(space, assignments)) {
    given.push_back({.parameter = space.declaration().parameters[parameter].name, .value = value});
  }
  return given;
}

std::vector<std::string> parameter_names(const Space& space) {
  std::vector<std::string> names;
  for (const Parameter& parameter : space.declaration().parameters) names.push_back(parameter.name);
  return names;
}

std::vector<Cell> parameter_cells(const Space& space, std::span<const double> x) {
  std::vector<Cell> cells;
  for (std::size_t k = 0; k < x.size(); ++k) {
    const Parameter& parameter = space.declaration().parameters[k];
    if (!space.is_active(x, k)) {
      cells.emplace_back();
    } else if (parameter.kind == ParameterKind::boolean) {
      cells.emplace_back(x[k] == 1.0);
    } else if (!parameter.values.empty()) {
      cells.emplace_back(space.text(k, x[k]));
    } else if (parameter.kind == ParameterKind::integer) {
      cells.emplace_back(static_cast<std::int64_t>(x[k]));
    } else {
      cells.emplace_back(Exact{x[k]});
    }
  }
  return cells;
}

Cell optional_cell(const std::optional<double>& number) { return number ? Cell{*number} : Cell{}; }

}  // namespace oscbo::cli
