// File: oscbo/config.hpp
//
// Everything that can be set about an optimisation, with the paper's defaults. The settings are
// options with names, and a method is a named combination of settings. oscbo/options.hpp makes the
// configuration of a method and sets options by name:
//
//   oscbo::Config config = oscbo::method_config("oscbo");
//   config.budget = 50;
//   oscbo::set_option(config, "learner.solver", "exact");
//
// Options that concern all methods are members of Config. The other options are in groups. A group
// is a struct that is declared beside the code that reads it. Inside the library, `get` returns the
// group of a given type:
//
//   config.get<gp::KernelOptions>().nu
#pragma once

#include <any>
#include <map>
#include <string>
#include <typeindex>

namespace oscbo {

class Config {
 public:
  std::string method = "oscbo";
  std::string learner = "game";  // how the model is learned (docs/methods.md)
  int budget = 100;              // T: rounds after the initial design
  int initial_points = 10;       // points before the model is used
  int threads = 0;               // for one operation on many points; 0: one thread per processor
  double memory = 8.0;           // GiB that a model may take, including the memory for learning it
  double beta = 2.0;             // intervals are mean +- sqrt(beta) sd
  double noise_variance = 0.01;  // of standardised observations
  double delta = 0.1;            // failure probability of the theory, or target miss rate

  /// get returns a group of options. The reference stays valid until this object is destroyed or
  /// assigned to.
  template <class Group>
  [[nodiscard]] const Group& get() const {
    static const Group kDefaults;
    const auto found = groups_.find(typeid(Group));
    return found == groups_.end() ? kDefaults : *std::any_cast<Group>(&found->second);
  }

  /// edit returns the same group for modification.
  template <class Group>
  [[nodiscard]] Group& edit() {
    std::any& group = groups_.try_emplace(typeid(Group), Group()).first->second;
    return *std::any_cast<Group>(&group);
  }

 private:
  std::map<std::type_index, std::any> groups_;  // those that were edited
};

}  // namespace oscbo
