// Names of the tests that run once for each problem.
#pragma once

#include <string>

#include <gtest/gtest.h>

namespace oscbo::test {

/// The name of the problem without hyphens, which names of tests must not have.
inline std::string name_of_sample(const testing::TestParamInfo<std::string>& sample) {
  std::string name = sample.param;
  std::erase(name, '-');
  return name;
}

}  // namespace oscbo::test
