// Fuzzes the reader of RateLimitRequest with arbitrary bytes, and writes a reply to requests it
// accepts.
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "fuzz/must.h"
#include "fuzz/proto_parts.h"
#include "wire/grpc/proto_reader.h"
#include "wire/grpc/rls_messages.h"

namespace sluice::fuzz {
namespace {

constexpr RlsBounds kBounds{.max_descriptors = 20, .max_entries = 50};

void MustBeGood(const RlsRequest& request, std::string_view message) {
  Must(!request.domain.empty(), "a request has a domain");
  MustBePart(request.domain, message);
  Must(!request.descriptors.empty(), "a request has descriptors");
  Must(request.descriptors.size() <= kBounds.max_descriptors, "descriptors keep their bound");
  Must(request.entries.size() <= kBounds.max_entries, "entries keep their bound");
  std::size_t entries = 0;
  for (const RlsDescriptor& descriptor : request.descriptors) {
    Must(descriptor.first == entries, "entries lie one after another");
    entries += descriptor.count;
    if (descriptor.limit) {
      Must(descriptor.limit->unit != RlsUnit::kUnknown && descriptor.limit->multiplier > 0,
           "an override has a period");
    }
  }
  Must(entries == request.entries.size(), "every entry has a descriptor");
  for (const Attribute& entry : request.entries) {
    Must(!entry.name.empty(), "an entry has a key");
    MustBePart(entry.name, message);
    MustBePart(entry.value, message);
  }
}

// Writes a reply that repeats the request.
void MustReply(const RlsRequest& request) {
  std::vector<RlsStatus> statuses;
  for (const RlsDescriptor& descriptor : request.descriptors) {
    RlsStatus& status = statuses.emplace_back();
    status.remaining = static_cast<std::uint32_t>(descriptor.addend.value_or(0));
    if (descriptor.limit) {
      status.limit = RlsLimit{descriptor.limit->requests_per_unit, descriptor.limit->unit,
                              request.domain, descriptor.limit->multiplier};
      status.until_reset = Nanos{descriptor.limit->requests_per_unit};
    }
  }
  RlsReply reply;
  reply.statuses = statuses;
  reply.response_headers = request.entries;
  reply.raw_body = request.domain;
  std::string out;
  AppendRlsReply(reply, out);
  ProtoReader reader(out);
  std::size_t fields = 0;
  for (; reader.Next(); ++fields) reader.Skip();
  Must(!reader.failed(), "a reply is a message");
  Must(fields == 2 + statuses.size() + request.entries.size(), "a reply has all of its fields");
}

void Read(std::string_view message) {
  RlsRequest request;
  if (const auto fault = ReadRlsRequest(message, kBounds, request)) {
    MustBeCallersFault(*fault);
    return;
  }
  MustBeGood(request, message);
  MustReply(request);
}

}  // namespace
}  // namespace sluice::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::vector<char> bytes(data, data + size);
  sluice::fuzz::Read({bytes.data(), bytes.size()});
  return 0;
}
