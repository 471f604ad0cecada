// File: oscbo/serialisation.hpp
//
// Trials and predictions as text: the JSON that `oscbo export json` prints, and the columns of the
// tables that `oscbo trials` and `oscbo export csv` print.
//
//   for (const oscbo::StudyTrial& trial : study.trials()) {
//     std::cout << oscbo::to_json(trial, study.space()) << '\n';
//   }
//
// RecordFields declares the fields, their order and their stored names. A field without a value is
// left out.
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
/// "suggestion": {..., "predictions": [...]}}. The "quantity" of a prediction is 0 for the value
/// and 1, 2, ... for the outcomes of the space. Bytes that are not UTF-8 become U+FFFD.
[[nodiscard]] std::string to_json(const StudyTrial& trial, const Space& space);

/// A table of trials begins with the first columns, continues with one column for each outcome and
/// each parameter, and ends with the last columns. "mean" and "sd" are the prediction of an
/// observation. No parameter or outcome of a study may have the name of a first or last column.
inline constexpr std::array<std::string_view, 4> kFirstTrialColumns = {"trial", "state", "value",
                                                                       "variance"};
inline constexpr std::array<std::string_view, 5> kLastTrialColumns = {"mean", "sd", "covered",
                                                                      "worker", "reason"};

}  // namespace oscbo
