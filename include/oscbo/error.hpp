// File: oscbo/error.hpp
//
// The one list of error codes of the project and the one exception type that carries them. The
// command line turns a code into its exit status (`exit_status`), a service into a field of its
// reply (`to_string`).
//
//   try {
//     optimizer.tell(trial, y);
//   } catch (const oscbo::Error& error) {
//     std::cerr << error.field() << ": " << error.what() << '\n';
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
  conflict,       // the request contradicts what is already there
  exhausted,      // no point is left, or none was found, that has not been asked or told
  io,             // a file could not be read or written
  interrupted,    // stopped by the user; finished work is kept
  internal,       // a defect of oscbo itself
};

/// to_string returns the code as users and programs see it, e.g. "invalid_value".
[[nodiscard]] std::string_view to_string(ErrorCode code) noexcept;

/// exit_status returns the status with which the command line ends for this code.
[[nodiscard]] int exit_status(ErrorCode code) noexcept;

/// Error is thrown by every public function that refuses its input. Whatever threw it is
/// unchanged: a refused call has no effect.
class Error : public std::runtime_error {
 public:
  /// `field` names what was refused ("kernel.nu", "bounds[2].lower", "--points"); it may be empty.
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
