// The columns that tables of trials have besides those of parameters and outcomes, which therefore
// have other names.
#pragma once

#include <array>
#include <string_view>

namespace oscbo::study {

/// Of `oscbo trials` and `export csv`.
inline constexpr std::array<std::string_view, 9> kTrialColumns = {
    "trial", "state", "value", "variance", "mean", "sd", "covered", "worker", "reason"};

/// Of other tables: `oscbo ask` and `best`.
inline constexpr std::array<std::string_view, 3> kOtherColumns = {"token", "by", "acceptable"};

}  // namespace oscbo::study
