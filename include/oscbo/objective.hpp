// File: oscbo/objective.hpp
//
// What to optimise: a list of objectives, each with a name and a direction. For now, the list must
// have exactly one element.
//
//   const oscbo::Objective cost{.name = "cost", .goal = oscbo::Goal::minimize};
//   cost.to_maximised(3.0);  // -3
//
// Models assume that larger values are better. An Optimizer applies the directions of its
// objectives where values come in and predictions go out. Only its models see the converted
// numbers; all other code deals with the user's values.
#pragma once

#include <concepts>
#include <cstddef>
#include <initializer_list>
#include <limits>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace oscbo {

/// Values keep the user's sign: if the goal is minimize, small values are good.
enum class Goal { maximize, minimize };

/// to_string returns "maximize" or "minimize".
[[nodiscard]] std::string_view to_string(Goal goal) noexcept;

namespace detail {

/// sign_of returns 1 for maximize and -1 for minimize. The product of value and sign is large where
/// the value is good.
[[nodiscard]] constexpr double sign_of(Goal goal) noexcept {
  return goal == Goal::maximize ? 1.0 : -1.0;
}

}  // namespace detail

/// is_better returns whether value a is better than b.
[[nodiscard]] constexpr bool is_better(Goal goal, double a, double b) noexcept {
  return goal == Goal::maximize ? a > b : a < b;
}

/// is_as_good returns whether value a is at least as good as b.
[[nodiscard]] constexpr bool is_as_good(Goal goal, double a, double b) noexcept {
  return goal == Goal::maximize ? a >= b : a <= b;
}

/// gain_over returns how much better a value is than `best`. It is negative for a worse value.
[[nodiscard]] constexpr double gain_over(Goal goal, double value, double best) noexcept {
  return detail::sign_of(goal) * (value - best);
}

/// worst_value returns the infinity that is worse than every number.
[[nodiscard]] constexpr double worst_value(Goal goal) noexcept {
  return -detail::sign_of(goal) * std::numeric_limits<double>::infinity();
}

struct Objective {
  std::string name = "value";
  Goal goal = Goal::maximize;

  /// to_maximised returns a number that is large where the value is good. from_maximised is its
  /// inverse.
  [[nodiscard]] double to_maximised(double value) const noexcept {
    return detail::sign_of(goal) * value;
  }
  [[nodiscard]] double from_maximised(double number) const noexcept {
    return detail::sign_of(goal) * number;
  }
};

/// check_objectives throws Error (invalid_value) unless the list has exactly one element.
void check_objectives(std::span<const Objective> objectives);

/// A list with one element per objective. A single value such as y = 1.5 converts to a list of one
/// element.
template <class Value>
class PerObjective {
 public:
  PerObjective() : values_(1) {}
  PerObjective(std::initializer_list<Value> values) : values_(values) {}
  explicit PerObjective(std::vector<Value> values) : values_(std::move(values)) {}
  template <std::convertible_to<Value> Single>
  PerObjective(const Single& single)  // NOLINT(google-explicit-constructor): y = 1.5
      : values_(1, Value(single)) {}

  [[nodiscard]] std::size_t size() const noexcept { return values_.size(); }
  [[nodiscard]] const Value& operator[](std::size_t objective) const { return values_[objective]; }
  [[nodiscard]] Value& operator[](std::size_t objective) { return values_[objective]; }
  [[nodiscard]] const Value& front() const { return values_.front(); }
  [[nodiscard]] auto begin() const noexcept { return values_.begin(); }
  [[nodiscard]] auto end() const noexcept { return values_.end(); }

  friend bool operator==(const PerObjective& a, const PerObjective& b) = default;

 private:
  std::vector<Value> values_;
};

}  // namespace oscbo
