// The lengthscale rules by name. A method with its own rule needs one file and one line in
// registry.cpp. docs/architecture.md walks through an example.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "learners/rule_factories.hpp"
#include "oscbo/config.hpp"

namespace oscbo {
struct Option;
}

namespace oscbo::learners {

/// The properties of a model that the rest of the library needs.
struct ModelTraits {
  bool is_gaussian_process = true;  // with a kernel
  bool accepts_ard = true;
  bool accepts_other_kernels = false;  // kernels whose hyperparameters are not lengthscales
  bool kernel_is_known = false;        // theta is given, not learned, as Corollary 1 assumes
  bool learns_everything = false;      // also noise, location, scale and kernel weights
  bool calibrates_itself = false;      // an observation outside its interval widens later ones
  double memory = 9.5;                 // at most this times n^2 doubles, learning included
};

/// An entry of a registry: the factory of a rule or a model, and the method that it defines.
template <class Factory>
struct RegistryEntry {
  std::string name;     // as in `--set learner=...`
  std::string method;   // the method that this entry defines, as in `--method ...`
  std::string meaning;  // one line about that method
  Factory* make;
  ModelTraits traits = {};
  void (*compose)(Config& config) = nullptr;          // sets the method's own defaults of options
  void (*compose_outcome)(Config& config) = nullptr;  // changes options for the model of an outcome
  std::vector<Option> (*options)() = nullptr;         // the options that belong to this entry
  /// The doubles per observation that the model takes in addition to the traits.memory n^2, given
  /// the number of columns of a point.
  double (*memory_per_point)(const Config& config, gp::Index columns) = nullptr;
};

using RuleInfo = RegistryEntry<RuleFactory>;

/// rules returns the known rules in the order in which they are listed to users.
[[nodiscard]] const std::vector<RuleInfo>& rules();

/// register_rule adds a rule at run time. Call it before the first optimizer is made, because the
/// list is not thread-safe.
void register_rule(RuleInfo rule);

/// find_rule returns the rule called `name`, or null.
[[nodiscard]] const RuleInfo* find_rule(std::string_view name);

/// rule_of returns the rule that `config` names. Throws Error (unknown_name) if there is no such
/// rule.
[[nodiscard]] const RuleInfo& rule_of(const Config& config);

/// make_rule builds the rule that `config` names, for inputs with this layout.
[[nodiscard]] RuleHandle make_rule(const Config& config, const gp::Layout& layout,
                                   std::uint64_t seed);

}  // namespace oscbo::learners
