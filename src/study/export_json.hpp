// Writes a whole study as JSON, except for the output of its programs.
#pragma once

#include <string>

#include "study/study_record.hpp"

namespace oscbo::study {

[[nodiscard]] std::string study_to_json(storage::Reader& reader, const StudyRecord& record);

}  // namespace oscbo::study
