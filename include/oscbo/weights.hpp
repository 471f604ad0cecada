// File: oscbo/weights.hpp
//
// Reads the weights of the method tabicl from a file that the user provides (docs/in-context.md).
// Call load_weights on a configuration of tabicl before making an optimizer with it:
//
//   oscbo::Config config = oscbo::method_config("tabicl");
//   oscbo::set_option(config, "tabicl.weights", "tabicl.safetensors");
//   oscbo::load_weights(config);
#pragma once

#include "oscbo/config.hpp"

namespace oscbo {

/// load_weights reads the file that the option tabicl.weights names. In two cases it reads the file
/// that the environment variable OSCBO_TABICL_WEIGHTS names instead: if the option is empty, or if
/// the file of the option no longer exists and tabicl.sha256 holds the checksum of the wanted file.
/// It sets tabicl.weights to the absolute path and tabicl.sha256 to the checksum of the file that
/// it read. It changes nothing if the model of the configuration is not tabicl.
///
/// Throws Error (io) if the named file does not exist or cannot be read, and Error (invalid_value)
/// if no file is named, if the checksum was already set and differs, or if the file does not hold
/// weights that are supported. The configuration then stays as it is.
void load_weights(Config& config);

}  // namespace oscbo
