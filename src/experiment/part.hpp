// One finished run as one file in DIR/parts. It holds, for every evaluation, its cells of the three
// long result files, then the totals the others need, then a checksum of all that: a part is
// believed only when the checksum fits.
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

/// What a run contributes to the files with a row per run or fewer.
struct RunTotals {
  std::size_t rows = 0;
  std::size_t covered = 0;
  double width_sum = 0.0;
  double initial_regret = 0.0;  // simple regret of the initial design
  double simple_regret = 0.0;
  double cumulative_regret = 0.0;
  double lengthscale = std::numeric_limits<double>::quiet_NaN();  // last one; NaN without a model
  CalibrationFigures calibration = {};

  /// The fraction of observations inside their interval; NaN without predictions.
  [[nodiscard]] double coverage() const {
    return static_cast<double>(covered) / calibration.predictions;
  }
};

/// Writes the evaluations of a run as they come; the part exists once `finish` has returned.
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

/// The cells of one evaluation, valid during the call they are passed to.
struct PartLine {
  std::string_view run;
  std::string_view timing;
  std::string_view query;
};

/// read_part hands every evaluation of a part to `on_line` and returns the totals; none when the
/// file is missing, incomplete or damaged. Lines seen before damage is found have been handed on.
std::optional<RunTotals> read_part(const std::filesystem::path& path,
                                   const std::function<void(const PartLine&)>& on_line = {});

/// part_name returns the file name of a run; any text is allowed in a task's name. Where that is
/// too long for a file, its end is replaced by a checksum.
[[nodiscard]] std::string part_name(std::string_view task, std::string_view method, int seed);

}  // namespace oscbo::experiment
