// Studies of earlier versions may have stored an option that no longer exists: obs.noise_sd, the
// noise of benchmarks. It had no effect on suggestions, but with it, `best` ranked points by the
// mean of the model.
#pragma once

#include <string>

#include "oscbo/study_declaration.hpp"

namespace oscbo::study {

struct StoredDeclaration {
  StudyDeclaration declaration;  // without the retired option
  bool is_noisy = false;         // obs.noise_sd was above 0
};

/// read_stored reads a declaration from the database. Throws like study_from_json.
[[nodiscard]] StoredDeclaration read_stored(const std::string& json);

}  // namespace oscbo::study
