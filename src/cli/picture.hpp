// Writes pictures to files.
#pragma once

#include <filesystem>
#include <string>

namespace oscbo::cli {

/// write_picture writes `svg` to the file. Throws Error (io).
void write_picture(const std::filesystem::path& path, const std::string& svg);

}  // namespace oscbo::cli
