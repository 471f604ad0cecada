// File: oscbo/options.hpp
//
// The named methods, and the options that change them:
//
//   oscbo::Config config = oscbo::method_config("oscbo-l1");
//   oscbo::set_option(config, "kernel.nu", "1.5");
//
// Each option is declared once, beside the code that reads it. `options` lists them all for help
// pages and reference documentation.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "oscbo/config.hpp"

namespace oscbo {

struct MethodInfo {
  std::string name;
  std::string meaning;
};

/// methods lists the named methods in the order in which they are shown.
[[nodiscard]] std::vector<MethodInfo> methods();

/// method_config returns the configuration of the method `name`. Throws Error (unknown_name).
[[nodiscard]] Config method_config(std::string_view name);

struct OptionInfo {
  std::string name;           // "kernel.nu"
  std::string accepted;       // "a number in [0.01, 100000]"
  std::string default_value;  // as it would be typed
  std::string meaning;        // one line
};

/// options lists every option. OptionInfo::default_value is the value of the option in `config`.
[[nodiscard]] std::vector<OptionInfo> options(const Config& config = {});

/// set_option parses `value` and assigns it. If the name or the value is not accepted, it throws
/// Error (unknown_name, invalid_value) and leaves `config` unchanged.
void set_option(Config& config, std::string_view name, std::string_view value);

/// This overload of set_option takes the name and the value as one string, "name=value".
void set_option(Config& config, std::string_view assignment);

/// get_option returns the value of an option as it would be typed. Throws Error (unknown_name).
[[nodiscard]] std::string get_option(const Config& config, std::string_view name);

/// validate throws Error (invalid_value) if a value is out of range or two values contradict each
/// other. The error names the option. Call validate after assigning to members of Config directly.
void validate(const Config& config);

/// has_model returns whether the method of `config` chooses points by a model.
[[nodiscard]] bool has_model(const Config& config);

/// has_lengthscales returns whether the hyperparameters of the kernel are lengthscales.
[[nodiscard]] bool has_lengthscales(const Config& config);

}  // namespace oscbo
