// Fuzzes the readers of the other messages that callers send (checks of sluice.v1, health and
// reflection), and of descriptor sets.
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "fuzz/must.h"
#include "fuzz/proto_parts.h"
#include "wire/grpc/health_messages.h"
#include "wire/grpc/limiter_messages.h"
#include "wire/grpc/reflection_index.h"
#include "wire/grpc/reflection_messages.h"

namespace sluice::fuzz {
namespace {

constexpr LimiterBounds kBounds{.max_checks = 10, .max_attributes = 10};

void MustBeGood(const LimiterChecks& checks, std::string_view message) {
  Must(checks.checks.size() <= kBounds.max_checks, "checks keep their bound");
  std::size_t attributes = 0;
  for (const LimiterCheck& check : checks.checks) {
    Must(!check.domain.empty() && check.cost.units >= 0, "a check has a domain and a cost");
    MustBePart(check.domain, message);
    Must(check.first == attributes && check.count <= kBounds.max_attributes,
         "attributes lie one after another, within their bound");
    attributes += check.count;
    const auto own = checks.AttributesOf(check);
    for (std::size_t i = 0; i < own.size(); ++i) {
      MustBePart(own[i].name, message);
      MustBePart(own[i].value, message);
      Must(!own[i].name.empty(), "an attribute has a name");
      for (std::size_t at = 0; at < i; ++at) {
        Must(own[at].name != own[i].name, "an attribute is there once");
      }
    }
  }
  Must(attributes == checks.attributes.size(), "every attribute has a check");
}

void ReadChecks(std::string_view message) {
  LimiterChecks checks;
  if (const auto fault = ReadLimiterCheck(message, kBounds, checks)) {
    MustBeCallersFault(*fault);
  } else {
    Must(checks.checks.size() == 1, "one check is read");
    MustBeGood(checks, message);
  }
  if (const auto fault = ReadLimiterBatch(message, kBounds, checks)) {
    MustBeCallersFault(*fault);
  } else {
    MustBeGood(checks, message);
  }
}

void ReadReflection(std::string_view message) {
  const auto read = ReadReflectionRequest(message);
  if (const auto* fault = std::get_if<GrpcFault>(&read)) {
    MustBeCallersFault(*fault);
    return;
  }
  const auto& request = *std::get_if<ReflectionRequest>(&read);
  MustBePart(request.name, message);
  MustBePart(request.host, message);
  Must(request.message == message, "a request keeps its bytes");
  std::string out;
  AppendReflectionFault(request, {GrpcStatus::kNotFound, "none"}, out);
  Must(out.find(message) != std::string::npos, "a reply repeats its request");
}

void ReadHealth(std::string_view message) {
  const auto read = ReadHealthRequest(message);
  if (const auto* fault = std::get_if<GrpcFault>(&read)) {
    MustBeCallersFault(*fault);
  } else {
    MustBePart(*std::get_if<std::string_view>(&read), message);
  }
}

void ReadDescriptors(std::string_view set) {
  const auto index = ReflectionIndex::Make(set);
  if (!index.ok()) return;
  for (const std::string_view service : index.value().services()) {
    Must(!index.value().FilesBySymbol(service).empty(), "a service is in some file");
  }
}

}  // namespace
}  // namespace sluice::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::vector<char> bytes(data, data + size);
  const std::string_view message(bytes.data(), bytes.size());
  sluice::fuzz::ReadChecks(message);
  sluice::fuzz::ReadReflection(message);
  sluice::fuzz::ReadHealth(message);
  sluice::fuzz::ReadDescriptors(message);
  return 0;
}
