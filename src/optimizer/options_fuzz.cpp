// Passes any text as an option. Either it is refused with an Error that leaves the configuration
// unchanged, or the resulting configuration validates or is refused by name.
#include "oscbo/options.hpp"

#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "oscbo/error.hpp"

namespace {

/// assignment_from lets the first byte choose an option (or none), so that the fuzzer gets past the
/// names quickly.
std::string assignment_from(std::string_view text) {
  static const std::vector<oscbo::OptionInfo> known = oscbo::options();
  if (text.empty()) return "";
  const auto index = static_cast<unsigned char>(text.front());
  const std::string rest(text.substr(1));
  return index < known.size() ? known[index].name + "=" + rest : rest;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  oscbo::Config config;
  try {
    oscbo::set_option(config, assignment_from({reinterpret_cast<const char*>(data), size}));
    oscbo::validate(config);
  } catch (const oscbo::Error& error) {
    if (error.field().empty() && size > 1) std::abort();
  }
  return 0;
}
