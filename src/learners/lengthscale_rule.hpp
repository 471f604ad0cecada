// Lengthscale rules: how a method chooses the lengthscales for its next query.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>

#include "gp/kernel.hpp"
#include "oscbo/config.hpp"

namespace oscbo::learners {

using gp::Index;
using gp::Vector;

/// What a rule may look at: all observations so far, in the order in which they were told.
struct Observations {
  const gp::Inputs& inputs;
  const Vector& y;           // standardised
  Index initial_points = 0;  // the first so many are the initial design
};

class LengthscaleRule {
 public:
  LengthscaleRule() = default;
  LengthscaleRule(LengthscaleRule&&) = delete;
  LengthscaleRule& operator=(const LengthscaleRule&) = delete;
  LengthscaleRule& operator=(LengthscaleRule&&) = delete;
  virtual ~LengthscaleRule() = default;

  [[nodiscard]] virtual std::unique_ptr<LengthscaleRule> clone() const = 0;

  /// next_lengthscales returns what to use for query `round` (1, 2, ...).
  virtual const Vector& next_lengthscales(const Observations& observations, int round) = 0;

  /// Feedback. Point indices are positions in Observations.
  virtual void observe_initial(Index /*point*/) {}
  virtual void observe_unasked(Index /*point*/) {}
  virtual void observe_prediction(Index /*point*/, double /*multiplier*/,
                                  double /*calibration_loss*/) {}

  /// What rules that play the game show of it; the others have none of these.
  [[nodiscard]] virtual std::optional<double> multiplier() const { return std::nullopt; }
  [[nodiscard]] virtual std::optional<double> violation() const { return std::nullopt; }
  [[nodiscard]] virtual std::optional<Phase> phase() const { return std::nullopt; }

  /// evaluations counts factorizations spent so far.
  [[nodiscard]] virtual int evaluations() const = 0;

 protected:
  LengthscaleRule(const LengthscaleRule&) = default;
};

/// A rule as a value: copying it copies the rule's state.
class RuleHandle {
 public:
  explicit RuleHandle(std::unique_ptr<LengthscaleRule> rule) : rule_(std::move(rule)) {}
  RuleHandle(const RuleHandle& other) : rule_(other.rule_->clone()) {}
  RuleHandle(RuleHandle&&) noexcept = default;
  RuleHandle& operator=(const RuleHandle& other) {
    if (this != &other) rule_ = other.rule_->clone();
    return *this;
  }
  RuleHandle& operator=(RuleHandle&&) noexcept = default;
  ~RuleHandle() = default;

  LengthscaleRule* operator->() { return rule_.get(); }
  const LengthscaleRule* operator->() const { return rule_.get(); }

 private:
  std::unique_ptr<LengthscaleRule> rule_;
};

/// make_rule builds the rule that `config` composes, for inputs of the given dimension.
[[nodiscard]] RuleHandle make_rule(const Config& config, Index dimension, std::uint64_t seed);

/// expected_points returns for how many points workspaces are reserved: the declared number, up to
/// a limit beyond which they grow as needed.
[[nodiscard]] Index expected_points(const Config& config);

}  // namespace oscbo::learners
