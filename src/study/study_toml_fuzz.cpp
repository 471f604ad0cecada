// Reads any bytes as a study file and as the JSON of a study. An accepted study must survive a
// round trip through JSON. All other input must give an Error, which names the file if one was
// read.
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "oscbo/error.hpp"
#include "oscbo/study_declaration.hpp"

namespace {

/// read_and_write checks that an accepted study survives a round trip through JSON, and that an
/// error concerns the declaration.
template <class Read>
void read_and_write(const Read& read, std::string_view field_begin) {
  try {
    const std::string json = oscbo::to_json(read());
    if (oscbo::to_json(oscbo::study_from_json(json)) != json) std::abort();
  } catch (const oscbo::Error& error) {
    const bool is_expected = error.code() == oscbo::ErrorCode::invalid_value ||
                             error.code() == oscbo::ErrorCode::unknown_name;
    if (!is_expected || !error.field().starts_with(field_begin)) std::abort();
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  read_and_write([&] { return oscbo::study_from_toml(text, "s.toml"); }, "s.toml:");
  read_and_write([&] { return oscbo::study_from_json(text); }, "");
  return 0;
}
