// Reads arbitrary bytes as the declaration of a space. An accepted space has a point and survives a
// round trip through JSON. Everything else must throw Error.
#include "oscbo/space.hpp"

#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "oscbo/error.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  try {
    static_cast<void>(oscbo::parse_constraint(text));
  } catch (const oscbo::Error& error) {
    if (error.field() != "constraint") std::abort();
  }
  try {
    const oscbo::Space space = oscbo::Space::from_json(text);
    if (oscbo::Space::from_json(space.to_json()).to_json() != space.to_json()) std::abort();
  } catch (const oscbo::Error& error) {
    if (error.code() != oscbo::ErrorCode::invalid_value) std::abort();
  }
  return 0;
}
