// Helpers that the tests in all directories share.
#pragma once

#include <functional>

#include <gtest/gtest.h>

#include "oscbo/error.hpp"

namespace oscbo {

/// error_of returns the Error that `action` throws. The test fails if it throws none.
inline Error error_of(const std::function<void()>& action) {
  try {
    action();
  } catch (const Error& error) {
    return error;
  }
  ADD_FAILURE() << "no Error was thrown";
  return {ErrorCode::internal, "", "nothing was thrown"};
}

}  // namespace oscbo
