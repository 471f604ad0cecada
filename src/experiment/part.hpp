// One finished run is one file in DIR/parts. It holds the cells of every evaluation for the three
// long result files, then the totals for the other files, then a checksum of everything before it.
// A part is valid only if the checksum matches.
//
//   oscbo-part 3
//   <cells of runs.csv> TAB <cells of timings.csv> TAB <cells of queries.csv>      per evaluation
//   totals {"covered":87,...}
//   end 5f0c6d2a9be31c47
#pragma once

#include <cstddef>
#include <filesystem>
#include <functional>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "experiment/files.hpp"
#include "numeric/checksum.hpp"
#include "oscbo/experiment.hpp"

namespace oscbo::experiment {

/// What a run contributes to calibration.csv, outcomes.csv and summary.csv.
struct RunTotals {
  std::size_t rows = 0;
  std::size_t covered = 0;
  double width_sum = 0.0;
  double initial_regret = 0.0;  // simple regret after the initial design
  double simple_regret = 0.0;
  double cumulative_regret = 0.0;
  double lengthscale = std::numeric_limits<double>::quiet_NaN();  // last one; NaN without a model
  CalibrationFigures calibration = {};

  /// The fraction of observations inside their intervals; NaN without predictions.
  [[nodiscard]] double coverage() const {
    return static_cast<double>(covered) / calibration.predictions;
  }
};

/// Writes the evaluations of a run one by one. The part exists after `finish` has returned.
class PartWriter {
 public:
  explicit PartWriter(const std::filesystem::path& path);
  void add(const RunRow& row);
  void finish();

 private:
  void write(std::string_view line);

  AtomicFile file_;
  numeric::Checksum checksum_;
  RunTotals totals_;
  std::vector<Forecast> forecasts_;
};

/// The cells of one evaluation, valid only during the call that receives them.
struct PartLine {
  std::string_view run;
  std::string_view timing;
  std::string_view query;
};

/// read_part passes every evaluation of a part to `on_line` and returns the totals. It returns
/// nothing if the file is missing, incomplete or damaged. `on_line` has then already received the
/// lines before the damage.
std::optional<RunTotals> read_part(const std::filesystem::path& path,
                                   const std::function<void(const PartLine&)>& on_line = {});

/// part_name returns the file name of a run. The name of a task may be any text. If the file name
/// is too long, its end is replaced by a checksum.
[[nodiscard]] std::string part_name(std::string_view task, std::string_view method, int seed);

}  // namespace oscbo::experiment
