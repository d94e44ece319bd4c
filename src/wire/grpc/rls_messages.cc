#include "wire/grpc/rls_messages.h"

#include <limits>

#include "wire/grpc/proto_fault.h"
#include "wire/grpc/proto_reader.h"
#include "wire/grpc/proto_time.h"
#include "wire/grpc/proto_writer.h"

namespace sluice {
namespace {

constexpr std::string_view kOver32Bits = "is over 32 bits";

bool Narrow(std::uint64_t value, std::uint32_t& narrow) {
  narrow = static_cast<std::uint32_t>(value);
  return value <= std::numeric_limits<std::uint32_t>::max();
}

// Reads the parts of a request. Each method returns false and sets the fault if the part is
// invalid.
class RequestReader {
 public:
  RequestReader(const RlsBounds& bounds, RlsRequest& request)
      : bounds_(bounds), request_(request) {}

  bool Read(std::string_view message) {
    ProtoReader reader(message);
    while (reader.Next()) {
      switch (reader.key()) {
        case BytesKey(1):
          if (!ReadText(reader, request_.domain)) return fault_.Set("domain", kNotUtf8);
          break;
        case BytesKey(2):
          if (!ReadDescriptor(reader.Bytes()) && !reader.failed()) {
            return fault_.Within("descriptors", request_.descriptors.size() - 1);
          }
          break;
        case VarintKey(3):
          if (!Narrow(reader.Varint(), request_.addend)) {
            return fault_.Set("hits_addend", kOver32Bits);
          }
          break;
        default:
          if (!SkipUnknown(reader, {"domain", "descriptors", "hits_addend"}, fault_)) return false;
      }
    }
    if (reader.failed()) return fault_.SetMalformed(reader.fault());
    if (request_.domain.empty()) return fault_.Set("domain", kNotEmpty);
    if (request_.descriptors.empty()) return fault_.Set("descriptors", kNotEmpty);
    return true;
  }

  [[nodiscard]] const ProtoFault& fault() const { return fault_; }

 private:
  bool ReadDescriptor(std::string_view message) {
    const bool one_too_many = request_.descriptors.size() == bounds_.max_descriptors;
    RlsDescriptor& descriptor = request_.descriptors.emplace_back();
    if (one_too_many) return fault_.SetMalformed(kOneTooMany);
    descriptor.first = static_cast<std::uint32_t>(request_.entries.size());
    ProtoReader reader(message);
    while (reader.Next()) {
      if (!ReadDescriptorField(reader, descriptor)) return false;
    }
    if (reader.failed()) return fault_.SetMalformed(reader.fault());
    descriptor.count = static_cast<std::uint32_t>(request_.entries.size()) - descriptor.first;
    return !descriptor.limit || CheckOverride(*descriptor.limit) || fault_.Within("limit");
  }

  bool ReadDescriptorField(ProtoReader& reader, RlsDescriptor& descriptor) {
    switch (reader.key()) {
      case BytesKey(1):
        return ReadEntry(reader.Bytes()) || reader.failed() ||
               fault_.Within("entries", request_.entries.size() - 1 - descriptor.first);
      case BytesKey(2):
        if (!descriptor.limit) descriptor.limit.emplace();
        return ReadOverride(reader.Bytes(), *descriptor.limit) || fault_.Within("limit");
      case BytesKey(3):
        if (!descriptor.addend) descriptor.addend = 0;
        return ReadWrapped(reader.Bytes(), *descriptor.addend) || fault_.Within("hits_addend");
      case VarintKey(4):
        descriptor.negative = reader.Varint() != 0;
        return true;
      default:
        return SkipUnknown(reader, {"entries", "limit", "hits_addend", "is_negative_hits"}, fault_);
    }
  }

  bool ReadEntry(std::string_view message) {
    const bool one_too_many = request_.entries.size() == bounds_.max_entries;
    Attribute& entry = request_.entries.emplace_back();
    if (one_too_many) return fault_.SetMalformed(kOneTooMany);
    ProtoReader reader(message);
    while (reader.Next()) {
      switch (reader.key()) {
        case BytesKey(1):
          if (!ReadText(reader, entry.name)) return fault_.Set("key", kNotUtf8);
          break;
        case BytesKey(2):
          // Not checked for UTF-8: Envoy forwards the bytes that its client sent.
          entry.value = reader.Bytes();
          break;
        default:
          if (!SkipUnknown(reader, {"key", "value"}, fault_)) return false;
      }
    }
    if (reader.failed()) return fault_.SetMalformed(reader.fault());
    return !entry.name.empty() || fault_.Set("key", kNotEmpty);
  }

  // If the field occurs twice, the two are merged: the second overwrites members of the first.
  bool ReadOverride(std::string_view message, RlsOverride& limit) {
    ProtoReader reader(message);
    while (reader.Next()) {
      switch (reader.key()) {
        case VarintKey(1):
          if (!Narrow(reader.Varint(), limit.requests_per_unit)) {
            return fault_.Set("requests_per_unit", kOver32Bits);
          }
          break;
        case VarintKey(2):
          if (!ReadUnit(reader, limit.unit)) return fault_.Set("unit", "is no unit of time");
          break;
        case BytesKey(3):
          if (!ReadMultiplier(reader.Bytes(), limit.multiplier)) {
            return fault_.Within("unit_multiplier");
          }
          break;
        default:
          if (!SkipUnknown(reader, {"requests_per_unit", "unit", "unit_multiplier"}, fault_)) {
            return false;
          }
      }
    }
    return !reader.failed() || fault_.SetMalformed(reader.fault());
  }

  static bool ReadUnit(ProtoReader& reader, RlsUnit& unit) {
    const std::uint64_t number = reader.Varint();
    if (number > static_cast<std::uint64_t>(RlsUnit::kWeek)) return false;
    unit = static_cast<RlsUnit>(number);
    return true;
  }

  bool ReadMultiplier(std::string_view message, std::uint32_t& multiplier) {
    std::uint64_t value = 0;
    if (!ReadWrapped(message, value)) return false;
    return Narrow(value, multiplier) || fault_.Set("value", kOver32Bits);
  }

  bool CheckOverride(const RlsOverride& limit) {
    if (limit.unit == RlsUnit::kUnknown) return fault_.Set("unit", "must be given");
    return limit.multiplier != 0 || fault_.Set("unit_multiplier", "must not be 0");
  }

  // Reads a UInt32Value or UInt64Value.
  bool ReadWrapped(std::string_view message, std::uint64_t& value) {
    ProtoReader reader(message);
    while (reader.Next()) {
      if (reader.key() == VarintKey(1)) {
        value = reader.Varint();
      } else if (!SkipUnknown(reader, {"value"}, fault_)) {
        return false;
      }
    }
    return !reader.failed() || fault_.SetMalformed(reader.fault());
  }

  const RlsBounds& bounds_;
  RlsRequest& request_;
  ProtoFault fault_;
};

// Writing: RoomFor returns the maximum number of bytes that Write appends.

std::size_t RoomFor(const RlsLimit& limit) {
  return 3 * kNumberRoom + TextRoom(limit.name) + kMessageRoom;
}

void Write(const RlsLimit& limit, ProtoWriter& writer) {
  writer.WriteNumber(1, limit.requests_per_unit);
  writer.WriteNumber(2, static_cast<std::uint64_t>(limit.unit));
  writer.WriteText(3, limit.name);
  if (limit.multiplier != 1) {
    writer.Message(4, [&](ProtoWriter& own) { own.WriteNumber(1, limit.multiplier); });
  }
}

std::size_t RoomFor(const RlsQuota& quota) { return kNumberRoom + kTimeRoom + TextRoom(quota.id); }

void Write(const RlsQuota& quota, ProtoWriter& writer) {
  writer.WriteNumber(1, quota.requests);
  if (quota.valid_until) WriteTime(writer, 2, ProtoTime::Of(*quota.valid_until));
  writer.WriteText(3, quota.id);
}

std::size_t RoomFor(const RlsStatus& status) {
  return 2 * kNumberRoom + kTimeRoom + (status.limit ? kMessageRoom + RoomFor(*status.limit) : 0) +
         (status.quota ? kMessageRoom + RoomFor(*status.quota) : 0);
}

void Write(const RlsStatus& status, ProtoWriter& writer) {
  writer.WriteNumber(1, static_cast<std::uint64_t>(status.code));
  if (status.limit) {
    writer.Message(2, [&](ProtoWriter& own) { Write(*status.limit, own); });
  }
  writer.WriteNumber(3, status.remaining);
  if (status.until_reset) WriteTime(writer, 4, ProtoTime::Of(*status.until_reset));
  if (status.quota) {
    writer.Message(5, [&](ProtoWriter& own) { Write(*status.quota, own); });
  }
}

std::size_t RoomFor(const Attribute& header) {
  return TextRoom(header.name) + TextRoom(header.value);
}

void Write(const Attribute& header, ProtoWriter& writer) {
  writer.WriteText(1, header.name);
  writer.WriteText(2, header.value);
}

template <typename Element>
std::size_t RoomForEach(std::span<const Element> elements) {
  std::size_t room = 0;
  for (const Element& each : elements) room += kMessageRoom + RoomFor(each);
  return room;
}

template <typename Element>
void WriteEach(std::uint32_t field, std::span<const Element> elements, ProtoWriter& writer) {
  for (const Element& each : elements) {
    writer.Message(field, [&](ProtoWriter& own) { Write(each, own); });
  }
}

std::size_t RoomFor(const RlsReply& reply) {
  return kNumberRoom + RoomForEach(reply.statuses) + RoomForEach(reply.response_headers) +
         RoomForEach(reply.request_headers) + TextRoom(reply.raw_body) +
         TextRoom(reply.dynamic_metadata) +
         (reply.quota ? kMessageRoom + RoomFor(*reply.quota) : 0);
}

}  // namespace

std::optional<GrpcFault> ReadRlsRequest(std::string_view message, const RlsBounds& bounds,
                                        RlsRequest& request) {
  request.domain = {};
  request.addend = 0;
  request.descriptors.clear();
  request.entries.clear();
  RequestReader reader(bounds, request);
  if (reader.Read(message)) return std::nullopt;
  return reader.fault().ToGrpc();
}

void AppendRlsReply(const RlsReply& reply, std::string& out) {
  AppendProto(RoomFor(reply), out, [&](ProtoWriter& writer) {
    writer.WriteNumber(1, static_cast<std::uint64_t>(reply.overall));
    WriteEach(2, reply.statuses, writer);
    WriteEach(3, reply.response_headers, writer);
    WriteEach(4, reply.request_headers, writer);
    writer.WriteText(5, reply.raw_body);
    writer.WriteText(6, reply.dynamic_metadata);
    if (reply.quota) {
      writer.Message(7, [&](ProtoWriter& own) { Write(*reply.quota, own); });
    }
  });
}

}  // namespace sluice
