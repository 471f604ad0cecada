// Linear constraints as text: "2 a + b <= 3", "a >= 0.5*b - 1", "a*2 <= b", "'flow rate' <= a".
#include <algorithm>
#include <cctype>
#include <charconv>
#include <cmath>

#include <fmt/format.h>

#include "oscbo/error.hpp"
#include "oscbo/space.hpp"

namespace oscbo {
namespace {

bool begins_name(char c) { return std::isalpha(static_cast<unsigned char>(c)) != 0 || c == '_'; }

bool continues_name(char c) {
  return begins_name(c) || std::isdigit(static_cast<unsigned char>(c)) != 0 || c == '.';
}

/// Encloses names that are not identifiers. Inside such a name it is doubled.
constexpr char kQuote = '\'';

std::string as_name(const std::string& name) {
  const bool is_plain = !name.empty() && begins_name(name.front()) &&
                        std::all_of(name.begin(), name.end(), continues_name);
  if (is_plain) return name;
  std::string quoted(1, kQuote);
  for (const char c : name) quoted.append(c == kQuote ? 2 : 1, c);
  return quoted + kQuote;
}

/// Reads a sum, a relation and another sum. The terms of a sum are `[number [*]] name`, `name *
/// number` and plain numbers.
class ConstraintReader {
 public:
  explicit ConstraintReader(std::string_view text) : text_(text), rest_(text) {}

  [[nodiscard]] LinearConstraint read() {
    read_sum(1.0);
    const bool is_upper = read_relation();
    read_sum(-1.0);
    if (constraint_.terms.empty()) refuse("names no parameter");
    if (!is_upper) {
      for (LinearConstraint::Term& term : constraint_.terms) term.coefficient *= -1.0;
      constraint_.limit *= -1.0;
    }
    return constraint_;
  }

 private:
  [[noreturn]] void refuse(const std::string& message) const {
    throw Error(
        ErrorCode::invalid_value, "constraint",
        fmt::format("'{}' {}; use a sum like '2 a + b <= 3', with unusual names in single quotes",
                    text_, message));
  }

  [[noreturn]] void refuse_going_on(std::string_view where) const {
    if (rest_.empty()) refuse(fmt::format("ends {}", where));
    refuse(fmt::format("continues with '{}' {}", rest_, where));
  }

  void skip_spaces() {
    while (!rest_.empty() && std::isspace(static_cast<unsigned char>(rest_.front())) != 0) {
      rest_.remove_prefix(1);
    }
  }

  bool take(std::string_view token) {
    skip_spaces();
    if (!rest_.starts_with(token)) return false;
    rest_.remove_prefix(token.size());
    return true;
  }

  bool read_relation() {
    if (take("<=")) return true;
    if (take(">=")) return false;
    if (take("<") || take(">")) refuse("is strict; use <= or >=, which include the limit");
    if (take("=")) refuse("is an equation; parameters that sum to a constant are a mixture");
    refuse_going_on("where <= or >= is expected");
  }

  void read_sum(double side) {
    double sign = take("-") ? -1.0 : 1.0;
    read_term(side * sign);
    while (true) {
      if (take("+")) {
        sign = 1.0;
      } else if (take("-")) {
        sign = -1.0;
      } else {
        break;
      }
      read_term(side * sign);
    }
    skip_spaces();
    if (side < 0.0 && !rest_.empty()) refuse_going_on("where it should end");
  }

  void read_term(double sign) {
    const std::optional<double> number = read_number();
    const bool has_star = number && take("*");
    skip_spaces();
    if (!rest_.empty() && (begins_name(rest_.front()) || rest_.front() == kQuote)) {
      const std::string name = rest_.front() == kQuote ? read_quoted() : read_name();
      add(name, sign * number.value_or(1.0) * read_factor());
      return;
    }
    if (!number || has_star) refuse("has no number or parameter where one is expected");
    constraint_.limit -= sign * *number;
  }

  /// Reads the factor after the name of a parameter, 1 if there is none.
  [[nodiscard]] double read_factor() {
    if (!take("*")) return 1.0;
    const std::optional<double> number = read_number();
    if (!number) refuse("multiplies a parameter by something that is not a number");
    return *number;
  }

  [[nodiscard]] std::optional<double> read_number() {
    skip_spaces();
    double number = 0.0;
    if (rest_.empty() ||
        (std::isdigit(static_cast<unsigned char>(rest_.front())) == 0 && rest_.front() != '.')) {
      return std::nullopt;
    }
    const char* const end = rest_.data() + rest_.size();
    const auto [after, code] = std::from_chars(rest_.data(), end, number);
    if (code != std::errc()) refuse("has a number that cannot be read");
    rest_.remove_prefix(static_cast<std::size_t>(after - rest_.data()));
    return number;
  }

  [[nodiscard]] std::string read_name() {
    std::size_t length = 0;
    while (length < rest_.size() && continues_name(rest_[length])) ++length;
    std::string name(rest_.substr(0, length));
    rest_.remove_prefix(length);
    return name;
  }

  [[nodiscard]] std::string read_quoted() {
    std::string name;
    while (true) {
      rest_.remove_prefix(1);
      const std::size_t end = rest_.find(kQuote);
      if (end == std::string_view::npos) refuse("has an unclosed quote");
      name += rest_.substr(0, end);
      rest_.remove_prefix(end + 1);
      if (!rest_.starts_with(kQuote)) return name;
      name += kQuote;
    }
  }

  void add(const std::string& name, double coefficient) {
    for (LinearConstraint::Term& term : constraint_.terms) {
      if (term.parameter != name) continue;
      term.coefficient += coefficient;
      return;
    }
    constraint_.terms.push_back({.parameter = name, .coefficient = coefficient});
  }

  std::string_view text_;
  std::string_view rest_;
  LinearConstraint constraint_;
};

}  // namespace

LinearConstraint parse_constraint(std::string_view text) { return ConstraintReader(text).read(); }

// The first coefficient is written as positive: "2 a >= 1" rather than "-2 a <= -1".
std::string to_string(const LinearConstraint& constraint) {
  const bool is_upper = constraint.terms.empty() || constraint.terms.front().coefficient >= 0.0;
  const double side = is_upper ? 1.0 : -1.0;
  std::string text;
  for (const LinearConstraint::Term& term : constraint.terms) {
    const double size = std::abs(term.coefficient);
    if (!text.empty()) text += std::signbit(side * term.coefficient) ? " - " : " + ";
    if (size != 1.0) text += fmt::format("{} ", size);
    text += as_name(term.parameter);
  }
  return fmt::format("{} {} {}", text, is_upper ? "<=" : ">=", side * constraint.limit + 0.0);
}

}  // namespace oscbo
