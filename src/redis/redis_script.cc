#include "redis/redis_script.h"

#include <openssl/evp.h>

#include <array>
#include <cassert>

namespace sluice {
namespace {

std::string Sha1Of(std::string_view text) {
  std::array<unsigned char, EVP_MAX_MD_SIZE> digest{};
  unsigned size = 0;
  [[maybe_unused]] const int done =
      EVP_Digest(text.data(), text.size(), digest.data(), &size, EVP_sha1(), nullptr);
  assert(done == 1);
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string name;
  for (unsigned i = 0; i < size; ++i) {
    name.push_back(kDigits[digest[i] >> 4U]);
    name.push_back(kDigits[digest[i] & 15U]);
  }
  return name;
}

}  // namespace

RedisScript MakeRedisScript(std::string_view text) { return {text, Sha1Of(text)}; }

}  // namespace sluice
