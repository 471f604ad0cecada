// A study as one text, from which nothing is left out but what programs printed.
#pragma once

#include <string>

#include "storage/storage.hpp"

namespace oscbo::study {

[[nodiscard]] std::string study_to_json(storage::Reader& reader, const storage::StudyRow& study,
                                        const Space& space);

}  // namespace oscbo::study
