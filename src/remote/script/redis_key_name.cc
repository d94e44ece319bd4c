#include "remote/script/redis_key_name.h"

namespace sluice {
namespace {

constexpr std::string_view kDigits =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
constexpr unsigned kDigitBits = 6;

char DigitOf(std::uint64_t bits) { return kDigits[bits & 63U]; }

}  // namespace

void AppendRedisKeyName(std::string_view prefix, const FleetKey& key, std::uint32_t route,
                        std::string& out) {
  out.append(prefix).push_back('{');
  for (unsigned shift = 3 * kDigitBits; shift > 0;) {
    shift -= kDigitBits;
    out.push_back(DigitOf(route >> shift));
  }
  out.push_back('}');
  // 128 bits, most significant first, followed by four zero bits.
  for (unsigned shift = 64; shift > 4;) {
    shift -= kDigitBits;
    out.push_back(DigitOf(key.high >> shift));
  }
  out.push_back(DigitOf((key.high << 2U) | (key.low >> 62U)));
  for (unsigned shift = 62; shift > 2;) {
    shift -= kDigitBits;
    out.push_back(DigitOf(key.low >> shift));
  }
  out.push_back(DigitOf(key.low << 4U));
}

}  // namespace sluice
