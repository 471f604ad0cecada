// Shared by the tests in this directory.
#pragma once

#include <string>
#include <utility>

#include "oscbo/study.hpp"
#include "storage/storage_test_support.hpp"

namespace oscbo::study::test {

using storage::test::expect_error;

/// The maximum is 0, at x = 0.3 in category b.
inline double hill(const std::vector<double>& x) {
  return -(x[0] - 0.3) * (x[0] - 0.3) - (x[1] == 1.0 ? 0.0 : 0.5);
}

inline StudyDeclaration declaration(const std::string& method = "sobol", int budget = 30) {
  StudyDeclaration study{.name = "s", .budget = budget, .seed = 5, .method = method};
  study.space.parameters = {
      {.name = "x"},
      {.name = "kind", .kind = ParameterKind::categorical, .values = {"a", "b", "c"}}};
  return study;
}

/// run_to_the_end asks and tells until the budget is used up.
inline void run_to_the_end(Study& study, double sign = 1.0) {
  while (const auto next = study.ask({.worker = "w", .within_budget = true})) {
    study.tell(next->number, next->token, {.y = sign * hill(next->x)});
  }
}

/// A test with its own store.
class StudyTest : public storage::test::DatabaseTest {
 protected:
  [[nodiscard]] StudyStore store() const { return StudyStore(file(), StudyStore::Mode::create); }
  [[nodiscard]] Study create(const StudyDeclaration& study) const {
    return Study::create(store(), study);
  }
  /// Returns a second handle on the study, as another process would have it.
  [[nodiscard]] Study another(const std::string& name = "s") const {
    return Study::open(store(), name);
  }
};

}  // namespace oscbo::study::test
