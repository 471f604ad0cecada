// Studies in the SQLite databases of Optuna 3, as plain rows.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace oscbo::storage {

struct OptunaParameter {
  std::int64_t trial = 0;
  std::string name;
  double value = 0.0;        // of a category: its position
  std::string distribution;  // JSON
};

struct OptunaValue {
  std::int64_t trial = 0;
  double value = 0.0;
};

struct OptunaStudy {
  std::string name;
  std::vector<std::string> directions;      // by objective: "MINIMIZE", "MAXIMIZE"
  std::int64_t trials = 0;                  // of any state
  std::vector<OptunaParameter> parameters;  // of complete trials, in the order they were drawn in
  std::vector<OptunaValue> values;          // the finite ones of the first objective, likewise
};

/// read_optuna_study throws Error: io for a file that cannot be read or has not these tables,
/// unknown_name for a study that is not there, and for an empty name where there are several.
[[nodiscard]] OptunaStudy read_optuna_study(const std::filesystem::path& file,
                                            const std::string& name);

}  // namespace oscbo::storage
