// Reads studies from SQLite databases of Optuna 3, as plain rows.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace oscbo::storage {

struct OptunaParameter {
  std::int64_t trial = 0;
  std::string name;
  double value = 0.0;        // for a category: its index
  std::string distribution;  // JSON
};

struct OptunaValue {
  std::int64_t trial = 0;
  double value = 0.0;
};

struct OptunaStudy {
  std::string name;
  std::vector<std::string> directions;      // "MINIMIZE" or "MAXIMIZE" for each objective
  std::int64_t trials = 0;                  // in any state
  std::vector<OptunaParameter> parameters;  // of complete trials, in the order drawn
  std::vector<OptunaValue> values;  // finite values of the first objective, of complete trials
};

/// read_optuna_study returns the study of this name or, if the name is empty, the only study of the
/// file. Throws Error: io if the file cannot be read or does not have Optuna's tables, unknown_name
/// if there is no such study, or if the name is empty and the file does not have exactly one study.
[[nodiscard]] OptunaStudy read_optuna_study(const std::filesystem::path& file,
                                            const std::string& name);

}  // namespace oscbo::storage
