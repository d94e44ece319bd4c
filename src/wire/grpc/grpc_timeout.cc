#include "wire/grpc/grpc_timeout.h"

#include <cstddef>
#include <cstdint>

namespace sluice {
namespace {

constexpr std::size_t kMaxDigits = 8;

// Returns 0 if the letter is not a unit.
constexpr std::int64_t NanosIn(char unit) {
  switch (unit) {
    case 'H':
      return 3'600'000'000'000;
    case 'M':
      return 60'000'000'000;
    case 'S':
      return 1'000'000'000;
    case 'm':
      return 1'000'000;
    case 'u':
      return 1'000;
    case 'n':
      return 1;
    default:
      return 0;
  }
}

Error Malformed() {
  return {"malformed grpc-timeout: expected one to eight digits and a unit, H M S m u n"};
}

}  // namespace

Result<Nanos> ParseGrpcTimeout(std::string_view text) {
  if (text.size() < 2 || text.size() > kMaxDigits + 1) return Malformed();
  const std::int64_t unit = NanosIn(text.back());
  if (unit == 0) return Malformed();
  text.remove_suffix(1);
  std::int64_t count = 0;
  for (const char digit : text) {
    if (digit < '0' || digit > '9') return Malformed();
    count = count * 10 + (digit - '0');
  }
  if (count > Nanos::max().count() / unit) return Nanos::max();
  return Nanos{count * unit};
}

}  // namespace sluice
