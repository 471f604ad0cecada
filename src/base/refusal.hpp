// How the library reports invalid values.
#pragma once

#include <string>

#include "oscbo/error.hpp"

namespace oscbo::base {

[[noreturn]] inline void refuse(const std::string& field, const std::string& message) {
  throw Error(ErrorCode::invalid_value, field, message);
}

}  // namespace oscbo::base
