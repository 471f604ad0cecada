// File: oscbo/error.hpp
//
// The error codes of the project, and Error, its only exception type. An Error carries one code.
// The command line turns a code into its exit status (`exit_status`). A service can put the code
// into its reply (`to_string`).
//
//   try {
//     optimizer.tell(trial, y);
//   } catch (const oscbo::Error& error) {
//     std::cerr << error.what() << '\n';  // "y: ...", with the field at fault first
//   }
#pragma once

#include <stdexcept>
#include <string>
#include <string_view>

namespace oscbo {

enum class ErrorCode {
  usage,          // the command line could not be understood
  invalid_value,  // a field holds a value that is not accepted
  unknown_name,   // no such task, method, option or trial
  conflict,       // the request contradicts the current state
  exhausted,      // no point was found that has not been asked or told yet
  io,             // a file could not be read or written
  interrupted,    // stopped by the user; finished work is kept
  internal,       // a bug in oscbo
};

/// to_string returns the code as users and programs see it, e.g. "invalid_value".
[[nodiscard]] std::string_view to_string(ErrorCode code) noexcept;

/// exit_status returns the exit status of the command line for this code.
[[nodiscard]] int exit_status(ErrorCode code) noexcept;

/// Error is thrown by every public function that refuses its input. A refused call has no effect.
class Error : public std::runtime_error {
 public:
  /// `field` names the refused input ("kernel.nu", "bounds[2].lower", "--points"). It may be empty.
  Error(ErrorCode code, std::string field, const std::string& message)
      : std::runtime_error(field.empty() ? message : field + ": " + message),
        code_(code),
        field_(std::move(field)),
        message_(message) {}

  [[nodiscard]] ErrorCode code() const noexcept { return code_; }
  [[nodiscard]] const std::string& field() const noexcept { return field_; }

  /// message returns what() without the field.
  [[nodiscard]] const std::string& message() const noexcept { return message_; }

 private:
  ErrorCode code_;
  std::string field_;
  std::string message_;
};

}  // namespace oscbo
