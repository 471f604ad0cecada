// Writes a whole study as JSON, except for the output of its programs.
#pragma once

#include <string>

#include "storage/storage.hpp"

namespace oscbo::study {

[[nodiscard]] std::string study_to_json(storage::Reader& reader, const storage::StudyRow& study,
                                        const Space& space);

}  // namespace oscbo::study
