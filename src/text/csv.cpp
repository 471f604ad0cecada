#include "text/csv.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <vector>

#include <fmt/format.h>

namespace oscbo::text {

std::string number(double value) {
  return std::isnan(value) ? std::string{} : fmt::format("{:.17g}", value);
}

std::string joined(std::span<const double> values, std::string_view separator) {
  std::vector<std::string> cells;
  std::ranges::transform(values, std::back_inserter(cells), number);
  return fmt::format("{}", fmt::join(cells, separator));
}

std::string csv_cell(std::string_view text) {
  if (text.find_first_of(",\"\r\n") == std::string_view::npos) return std::string(text);
  std::string cell = "\"";
  for (const char character : text) {
    if (character == '"') cell += '"';
    cell += character;
  }
  return cell + '"';
}

}  // namespace oscbo::text
