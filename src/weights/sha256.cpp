#include "weights/sha256.hpp"

#include <array>
#include <openssl/evp.h>

#include <fmt/format.h>

#include "oscbo/error.hpp"

namespace oscbo::weights {

std::string sha256(std::span<const std::byte> bytes) {
  std::array<unsigned char, EVP_MAX_MD_SIZE> digest{};
  unsigned int size = 0;
  if (EVP_Digest(bytes.data(), bytes.size(), digest.data(), &size, EVP_sha256(), nullptr) != 1) {
    throw Error(ErrorCode::internal, "sha256", "the checksum could not be computed");
  }
  return fmt::format("{:02x}", fmt::join(digest.begin(), digest.begin() + size, ""));
}

}  // namespace oscbo::weights
