// The report on a result directory.
#pragma once

#include <string>

#include "report/learning_curves.hpp"
#include "report/report.hpp"

namespace oscbo::report {

/// experiment_report compares the methods of `groups`, pair by pair with `reference`.
[[nodiscard]] Report experiment_report(const RunGroups& groups, const std::string& reference);

}  // namespace oscbo::report
