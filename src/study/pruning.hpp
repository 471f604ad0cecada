// Decides which evaluations to give up, based on the intermediate values of all trials.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "oscbo/study.hpp"
#include "oscbo/study_declaration.hpp"

namespace oscbo::study {

/// Returns one value for each other trial that has reported at a step in [first, last]: the first
/// value that it reported there.
using ReportedByOthers = std::function<std::vector<double>(std::int64_t first, std::int64_t last)>;

/// should_give_up judges a trial by its reports. `own` holds all of its reports, ordered by step.
/// `judged` is the last step that `own` held at the previous judgement of the trial, or nothing if
/// this is the first one.
///
/// median: give up if the trial's best value so far is worse than the median of the values that
/// others reported at the trial's last step.
///
/// halving: find the last rung, first_step * factor^k, that the trial has reached, and take the
/// trial's first report at or after that rung. Compare its value with the corresponding values of
/// all other trials that have reached the rung. Give up unless the trial's value is among the best
/// 1 / factor of all these values, its own included. A trial is judged once per rung.
///
/// Neither rule gives up before `first_step`, or while fewer than `least_trials` other trials can
/// be compared.
[[nodiscard]] bool should_give_up(const PruningRules& rules, Goal goal,
                                  std::span<const IntermediateValue> own,
                                  std::optional<std::int64_t> judged,
                                  const ReportedByOthers& others);

}  // namespace oscbo::study
