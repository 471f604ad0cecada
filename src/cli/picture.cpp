#include "picture.hpp"

#include <cerrno>
#include <fstream>
#include <system_error>

#include <fmt/format.h>

#include "oscbo/error.hpp"

namespace oscbo::cli {

void write_picture(const std::filesystem::path& path, const std::string& svg) {
  std::ofstream file(path, std::ios::binary);
  file << svg << std::flush;
  if (!file) {
    throw Error(ErrorCode::io, path.string(),
                fmt::format("cannot be written: {}", std::generic_category().message(errno)));
  }
}

}  // namespace oscbo::cli
