// Decides which evaluations to give up, from the intermediate values that they and others report.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "oscbo/study.hpp"
#include "oscbo/study_declaration.hpp"

namespace oscbo::study {

/// What other trials have reported: of each that has come so far, the first value at a step in
/// [first, last].
using ReportedByOthers = std::function<std::vector<double>(std::int64_t first, std::int64_t last)>;

/// should_give_up judges a trial by its reports: `own` are all of them, by step, and `judged` is
/// the last step that was there when it was judged before.
///
/// median: the best value so far is worse than the median of what others reported at its last step.
/// halving: by the first report from step first_step * factor^k on, for the last such step that it
/// has come to, the trial is not among the best share 1 / factor of those that have come that far,
/// itself included. It is judged there once.
///
/// Neither gives up before `first_step`, nor while fewer than `least_trials` others can be
/// compared.
[[nodiscard]] bool should_give_up(const PruningRules& rules, Goal goal,
                                  std::span<const IntermediateValue> own,
                                  std::optional<std::int64_t> judged,
                                  const ReportedByOthers& others);

}  // namespace oscbo::study
