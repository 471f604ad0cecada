// The trials of a study as rows, for people and for other programs.
#pragma once

#include <vector>

#include "oscbo/study.hpp"
#include "table.hpp"

namespace oscbo::cli {

[[nodiscard]] Table trial_table(const Space& space, const std::vector<StudyTrial>& trials);

}  // namespace oscbo::cli
