#include "oscbo/error.hpp"

namespace oscbo {

std::string_view to_string(ErrorCode code) noexcept {
  switch (code) {
    case ErrorCode::usage: return "usage";
    case ErrorCode::invalid_value: return "invalid_value";
    case ErrorCode::unknown_name: return "unknown_name";
    case ErrorCode::conflict: return "conflict";
    case ErrorCode::exhausted: return "exhausted";
    case ErrorCode::io: return "io";
    case ErrorCode::interrupted: return "interrupted";
    case ErrorCode::internal: break;
  }
  return "internal";
}

int exit_status(ErrorCode code) noexcept {
  switch (code) {
    case ErrorCode::usage: return 2;
    case ErrorCode::invalid_value: return 3;
    case ErrorCode::unknown_name: return 4;
    case ErrorCode::conflict: return 5;
    case ErrorCode::exhausted: return 7;
    case ErrorCode::io: return 6;
    case ErrorCode::interrupted: return 130;
    case ErrorCode::internal: break;
  }
  return 70;
}

}  // namespace oscbo
