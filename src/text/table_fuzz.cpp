// Reads arbitrary bytes as a table. An accepted table is rectangular and finite, and has distinct
// names and increasing line numbers. Everything else must throw Error naming the file.
#include "oscbo/table.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <set>
#include <sstream>

namespace {

bool is_sound(const oscbo::NumericTable& table) {
  const std::set<std::string> names(table.columns.begin(), table.columns.end());
  if (names.size() != table.columns.size() || names.contains("")) return false;
  if (table.rows() == 0 || table.values.size() != table.rows() * table.columns.size()) return false;
  std::size_t last_line = table.header_line;
  for (std::size_t row = 0; row < table.rows(); ++row) {
    if (table.line(row) <= last_line) return false;
    last_line = table.line(row);
  }
  return std::ranges::all_of(table.values, [](double value) { return std::isfinite(value); });
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::istringstream stream(std::string(reinterpret_cast<const char*>(data), size));
  try {
    if (!is_sound(oscbo::read_table(stream, "fuzz.csv"))) std::abort();
  } catch (const oscbo::Error& error) {
    if (error.field() != "fuzz.csv") std::abort();
  }
  return 0;
}
