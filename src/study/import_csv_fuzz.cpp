// Reads any bytes as a table of observations. Accepted observations must be points of the space
// with finite values. All other input must give an Error.
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <sstream>

#include "oscbo/study_files.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const oscbo::Space space(
      {.parameters = {
           {.name = "x"},
           {.name = "kind", .kind = oscbo::ParameterKind::categorical, .values = {"a", "b"}},
           {.name = "y", .when = oscbo::Condition{"kind", {"b"}}}}});
  std::istringstream stream(std::string(reinterpret_cast<const char*>(data), size));
  try {
    const oscbo::TableOfTrials trials = oscbo::trials_from_csv(stream, "table", space);
    for (const auto& [x, measurement] : trials.observations) {
      space.check(x);
      if (!std::isfinite(measurement.y.front())) std::abort();
    }
  } catch (const oscbo::Error& error) {
    if (error.code() != oscbo::ErrorCode::invalid_value) std::abort();
  }
  return 0;
}
