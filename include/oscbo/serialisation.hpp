// File: oscbo/serialisation.hpp
//
// Trials and predictions as text: the one form in JSON, which `oscbo export json` prints, and the
// columns of tables, which `oscbo trials` and `oscbo export csv` print.
//
//   for (const oscbo::StudyTrial& trial : study.trials()) {
//     std::cout << oscbo::to_json(trial, study.space()) << '\n';
//   }
//
// Fields and their order are those of RecordFields, by the names that are stored. A field that has
// no value is left out.
#pragma once

#include <array>
#include <string>
#include <string_view>

#include "oscbo/prediction.hpp"
#include "oscbo/space.hpp"
#include "oscbo/study_trial.hpp"

namespace oscbo {

/// to_json returns {"mean": 1.5, "sd": 0.1, ...}.
[[nodiscard]] std::string to_json(const Prediction& prediction);

/// to_json returns {"trial": 7, "state": "complete", "point": {...}, "value": 1.5, ...,
/// "suggestion": {..., "predictions": [...]}}. Of the predictions, "quantity" 0 is the value, and
/// 1, 2, ... are the outcomes of the space. Bytes that are not UTF-8 become U+FFFD.
[[nodiscard]] std::string to_json(const StudyTrial& trial, const Space& space);

/// A table of trials has these columns first, then one for each outcome and one for each parameter,
/// and then those below. "mean" and "sd" were predicted of an observation. Parameters and outcomes
/// of a study have other names.
inline constexpr std::array<std::string_view, 4> kFirstTrialColumns = {"trial", "state", "value",
                                                                       "variance"};
inline constexpr std::array<std::string_view, 5> kLastTrialColumns = {"mean", "sd", "covered",
                                                                      "worker", "reason"};

}  // namespace oscbo
