// Which evaluations are not worth their end, by the values that they and others report on the way.
#pragma once

#include <cstdint>
#include <span>

#include "oscbo/study_declaration.hpp"
#include "storage/storage.hpp"

namespace oscbo::study {

/// should_give_up judges a trial by its last report. `reports` are those of all trials of the
/// study, by trial and step.
///
/// median: the best value so far is worse than the median of what others reported at this step.
/// halving: at the first report from step first_step * factor^k on, the trial is not among the best
/// share 1 / factor of those that have come that far, itself included.
///
/// Neither gives up before `first_step`, nor while fewer than `least_trials` others can be
/// compared.
[[nodiscard]] bool should_give_up(const PruningRules& rules, Goal goal,
                                  std::span<const storage::ReportRow> reports, std::int64_t trial);

}  // namespace oscbo::study
