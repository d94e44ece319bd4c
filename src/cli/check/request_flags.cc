#include "cli/check/request_flags.h"

#include <chrono>
#include <cstdint>
#include <variant>

#include "base/decimal.h"
#include "base/duration.h"
#include "base/text.h"
#include "config/settings/address.h"
#include "core/limit/rate.h"
#include "server/endpoint_of.h"

namespace sluice::cli {

Result<Attribute> ReadAttribute(std::string_view text) {
  const std::size_t equals = text.find('=');
  if (equals == 0 || equals == std::string_view::npos) {
    return Error{Concat("expected ATTRIBUTE=VALUE, found ", Quoted(text))};
  }
  return Attribute{text.substr(0, equals), text.substr(equals + 1)};
}

Result<Cost> ReadCost(const GivenFlags& given) {
  const std::string_view text = given.ValueOr("--cost", "1");
  const auto number = ReadWhole(text);
  const auto* const units = std::get_if<std::int64_t>(&number);
  if (units == nullptr || *units > kMaxUnits) {
    return Error{Concat("--cost: expected a whole number from 0 to 10^18, found ", Quoted(text))};
  }
  return Cost{*units};
}

Result<Endpoint> ReadServer(const GivenFlags& given) {
  if (!given.Has("--server")) {
    return Error{"expected --server ADDRESS, for example --server 127.0.0.1:8080"};
  }
  const Result<Address> address = ParseAddress(given.ValueOr("--server", ""));
  if (!address) return Error{Concat("--server: ", address.error().message)};
  return EndpointOf(address.value());
}

Result<Nanos> ReadTimeout(const GivenFlags& given) {
  const std::string_view text = given.ValueOr("--timeout", "5s");
  Result<Nanos> length = ParseDuration(text);
  if (!length) return Error{Concat("--timeout: ", length.error().message)};
  if (length.value() < std::chrono::milliseconds{1} || length.value() > std::chrono::hours{1}) {
    return Error{Concat("--timeout: expected 1ms to 1h, found ", Quoted(text))};
  }
  return length;
}

}  // namespace sluice::cli
