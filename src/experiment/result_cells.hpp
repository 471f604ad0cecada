// The text format of results: the headers of the result files and the cells of one evaluation. The
// numbers of a vector in one cell are separated by `|`.
#pragma once

#include <string>
#include <string_view>

#include "oscbo/experiment.hpp"

namespace oscbo::experiment {

inline constexpr std::string_view kRunsHeader =
    "method,task,seed,step,y,best,simple_regret,cumulative_regret,mean,sd,width,covered,"
    "sharpness_loss,calibration_loss,violation,multiplier,lengthscale,phase\n";
inline constexpr std::string_view kTimingsHeader =
    "method,task,seed,step,fit_seconds,acquisition_seconds\n";
inline constexpr std::string_view kQueriesHeader = "method,task,seed,step,x\n";
inline constexpr std::string_view kSummaryHeader =
    "method,task,seeds,simple_regret,simple_regret_se,cumulative_regret,cumulative_regret_se,"
    "coverage,mean_width,simple_rank,cumulative_rank\n";
inline constexpr std::string_view kCalibrationHeader =
    "method,task,seed,predictions,coverage50,coverage80,coverage84,coverage90,coverage95,"
    "pit_distance,mean_width,log_score,crps\n";
inline constexpr std::string_view kOutcomesHeader =
    "method,task,seed,initial_regret,simple_regret,cumulative_regret,coverage,mean_width,"
    "lengthscale\n";

/// The cells of one evaluation after `method,task,seed`, for runs.csv, timings.csv and queries.csv.
[[nodiscard]] std::string run_cells(const RunRow& row);
[[nodiscard]] std::string timing_cells(const RunRow& row);
[[nodiscard]] std::string query_cells(const RunRow& row);

/// calibration_cells returns the cells of calibration.csv after `method,task,seed`.
[[nodiscard]] std::string calibration_cells(const CalibrationFigures& figures);

/// summary_line returns one line of summary.csv.
[[nodiscard]] std::string summary_line(const SummaryRow& row);

}  // namespace oscbo::experiment
