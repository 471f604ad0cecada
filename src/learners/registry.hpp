// The lengthscale rules by name. A method that brings a rule of its own is one file and one line in
// registry.cpp; docs/architecture.md walks through an example.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "learners/rule_factories.hpp"

namespace oscbo::learners {

struct RuleInfo {
  std::string name;     // as in `--set learner=...`
  std::string method;   // the method that it makes, as in `--method ...`
  std::string meaning;  // of that method, one line
  RuleFactory* make;
  bool accepts_ard = true;
  bool learns_everything = false;      // noise, location, scale, and weight of single parameters
  bool schedules_itself = false;       // knows when to learn anew, and learns from few points
  double memory = 9.5;                 // n^2 doubles at most, of a model and of learning it
  bool kernel_is_known = false;        // theta is given, not learned: what Corollary 1 is about
  bool accepts_other_kernels = false;  // kernels whose hyperparameters are not lengthscales
  void (*compose)(Config& config) = nullptr;  // what else the method changes of the defaults
};

/// rules lists the known rules in the order in which they are shown.
[[nodiscard]] const std::vector<RuleInfo>& rules();

/// register_rule adds a rule at run time. Call it before the first optimizer is made: the list is
/// not guarded against other threads.
void register_rule(RuleInfo rule);

/// find_rule returns the rule called `name`, or null.
[[nodiscard]] const RuleInfo* find_rule(std::string_view name);

/// rule_of returns the rule that `config` names. Throws Error (unknown_name) for none.
[[nodiscard]] const RuleInfo& rule_of(const Config& config);

/// make_rule builds the rule that `config` composes, for inputs with that layout.
[[nodiscard]] RuleHandle make_rule(const Config& config, const gp::Layout& layout,
                                   std::uint64_t seed);

}  // namespace oscbo::learners
