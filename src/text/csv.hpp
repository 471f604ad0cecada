// Cells of CSV files. Numbers have 17 significant digits, so that reading them back gives the same
// doubles.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace oscbo::text {

/// number returns `value` with 17 significant digits. NaN means undefined and gives an empty text.
[[nodiscard]] std::string number(double value);

/// joined returns the numbers with `separator` between them.
[[nodiscard]] std::string joined(std::span<const double> values, std::string_view separator);

/// csv_cell returns `text` as a CSV cell, in quotes only if necessary.
[[nodiscard]] std::string csv_cell(std::string_view text);

}  // namespace oscbo::text
