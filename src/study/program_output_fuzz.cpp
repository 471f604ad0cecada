// Reads any bytes as the output of a program, and as the pattern to search for in it. An accepted
// value must be finite. All other input must give an Error that names the output or the pattern.
#include "study/program_output.hpp"

#include <cmath>
#include <cstdint>
#include <cstdlib>

#include "oscbo/error.hpp"

namespace {

void read_value(const oscbo::ProgramRules& rules, std::string_view output) {
  try {
    oscbo::study::ProgramOutputReader reader(rules);
    reader.add(output);
    const oscbo::study::ProgramValue read = reader.value();
    if (!std::isfinite(read.value) || !std::isfinite(read.variance.value_or(0.0))) std::abort();
    for (const auto& [name, metric] : read.metrics) {
      if (!std::isfinite(metric)) std::abort();
    }
  } catch (const oscbo::Error& error) {
    const bool is_known = error.field() == "output" || error.field() == "program.pattern";
    if (error.code() != oscbo::ErrorCode::invalid_value || !is_known) std::abort();
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  using oscbo::ValueSource;
  read_value({.value_from = ValueSource::last_line}, text);
  read_value({.value_from = ValueSource::json}, text);
  read_value({.value_from = ValueSource::pattern, .pattern = "=(.*)$"}, text);
  const std::string_view pattern = text.substr(0, text.find('\n'));
  const std::string_view output = text.substr(pattern.size());
  read_value({.value_from = ValueSource::pattern, .pattern = std::string(pattern)}, output);
  const auto intermediate = oscbo::study::read_intermediate(text);
  if (intermediate && (intermediate->step < 0 || !std::isfinite(intermediate->value))) std::abort();
  return 0;
}
