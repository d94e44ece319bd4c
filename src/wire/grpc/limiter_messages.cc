#include "wire/grpc/limiter_messages.h"

#include <algorithm>
#include <limits>

#include "wire/grpc/proto_fault.h"
#include "wire/grpc/proto_reader.h"
#include "wire/grpc/proto_time.h"
#include "wire/grpc/proto_writer.h"

namespace sluice {
namespace {

// Reads the parts of a call. Each method returns false and sets the fault if the part is invalid.
class ChecksReader {
 public:
  ChecksReader(const LimiterBounds& bounds, LimiterChecks& checks)
      : bounds_(bounds), checks_(checks) {}

  bool ReadBatch(std::string_view message) {
    ProtoReader reader(message);
    while (reader.Next()) {
      if (reader.key() == BytesKey(1)) {
        if (!ReadCheck(reader.Bytes()) && !reader.failed()) {
          return fault_.Within("checks", checks_.checks.size() - 1);
        }
      } else if (!SkipUnknown(reader, {"checks"}, fault_)) {
        return false;
      }
    }
    return !reader.failed() || fault_.SetMalformed(reader.fault());
  }

  bool ReadCheck(std::string_view message) {
    const bool one_too_many = checks_.checks.size() == bounds_.max_checks;
    LimiterCheck& check = checks_.checks.emplace_back();
    if (one_too_many) return fault_.SetMalformed(kOneTooMany);
    check.first = static_cast<std::uint32_t>(checks_.attributes.size());
    ProtoReader reader(message);
    while (reader.Next()) {
      switch (reader.key()) {
        case BytesKey(1):
          if (!ReadText(reader, check.domain)) return fault_.Set("domain", kNotUtf8);
          break;
        case BytesKey(2):
          if (!ReadAttribute(reader.Bytes(), check) && !reader.failed()) {
            return fault_.Within("attributes", check.count);
          }
          ++check.count;
          break;
        case VarintKey(3):
          if (!ReadCost(reader, check.cost)) return fault_.Set("cost", "is over 2^63 - 1");
          break;
        default:
          if (!SkipUnknown(reader, {"domain", "attributes", "cost"}, fault_)) return false;
      }
    }
    if (reader.failed()) return fault_.SetMalformed(reader.fault());
    return !check.domain.empty() || fault_.Set("domain", kNotEmpty);
  }

  [[nodiscard]] const ProtoFault& fault() const { return fault_; }

 private:
  static bool ReadCost(ProtoReader& reader, Cost& cost) {
    const std::uint64_t units = reader.Varint();
    cost.units = static_cast<std::int64_t>(units);
    return units <= static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());
  }

  // Reads an entry of the map, which protobuf encodes as a message with a key and a value.
  bool ReadAttribute(std::string_view message, const LimiterCheck& check) {
    if (check.count == bounds_.max_attributes) return fault_.SetMalformed(kOneTooMany);
    Attribute attribute;
    ProtoReader reader(message);
    while (reader.Next()) {
      switch (reader.key()) {
        case BytesKey(1):
          if (!ReadText(reader, attribute.name)) return fault_.Set("key", kNotUtf8);
          break;
        case BytesKey(2):
          if (!ReadText(reader, attribute.value)) return fault_.Set("value", kNotUtf8);
          break;
        default:
          if (!SkipUnknown(reader, {"key", "value"}, fault_)) return false;
      }
    }
    if (reader.failed()) return fault_.SetMalformed(reader.fault());
    if (attribute.name.empty()) return fault_.Set("key", kNotEmpty);
    // A linear search is fast enough, because max_attributes bounds the number of attributes.
    const auto others = checks_.AttributesOf(check);
    if (std::ranges::any_of(others,
                            [&](const Attribute& other) { return other.name == attribute.name; })) {
      return fault_.Set("key", "is there twice");
    }
    checks_.attributes.push_back(attribute);
    return true;
  }

  const LimiterBounds& bounds_;
  LimiterChecks& checks_;
  ProtoFault fault_;
};

// Writing: RoomFor returns the maximum number of bytes that Write appends.

// The numbers of sluice.v1.Mode and sluice.v1.Source.
constexpr std::uint64_t NumberOf(Enforcement enforcement) {
  switch (enforcement) {
    case Enforcement::kEnforce:
      return 1;
    case Enforcement::kShadow:
      return 2;
    case Enforcement::kQuota:
      return 3;
    case Enforcement::kDebt:
      return 4;
  }
  return 0;
}

constexpr std::uint64_t NumberOf(Source source) {
  switch (source) {
    case Source::kMemory:
      return 1;
    case Source::kOverflow:
      return 2;
    case Source::kRemote:
      return 3;
    case Source::kLease:
      return 4;
    case Source::kEventual:
      return 5;
    case Source::kEmptyKey:
      return 6;
    case Source::kFallback:
      return 7;
  }
  return 0;
}

// Writes an optional field: a 0 is written, but kNoUnits is left out.
void WriteUnits(ProtoWriter& writer, std::uint32_t field, std::int64_t units) {
  if (units != kNoUnits) writer.Number(field, static_cast<std::uint64_t>(units));
}

// Says which time fields a decision or verdict has on the wire.
struct Times {
  bool retry_after = false;
  bool never = false;
  bool wait = false;
};

template <typename Answer>  // a Decision or a LimiterVerdict
Times TimesOf(const Answer& answer) {
  const bool never = answer.retry_after == kNever;
  return {.retry_after = !answer.allowed && !never,
          .never = !answer.allowed && never,
          .wait = answer.allowed && answer.wait > Nanos{0}};
}

std::size_t RoomFor(const LimiterDecision& each) {
  return TextRoom(each.rule) + TextRoom(each.name) + 6 * kNumberRoom + 3 * kTimeRoom;
}

void Write(const LimiterDecision& each, ProtoWriter& writer) {
  const Decision& decision = each.decision;
  const Times times = TimesOf(decision);
  writer.WriteText(1, each.rule);
  writer.WriteText(2, each.name);
  writer.WriteNumber(3, decision.allowed ? 1 : 0);
  WriteUnits(writer, 4, decision.limit);
  WriteUnits(writer, 5, decision.remaining);
  if (times.retry_after) WriteTime(writer, 6, ProtoTime::Of(decision.retry_after));
  writer.WriteNumber(7, times.never ? 1 : 0);
  WriteTime(writer, 8, ProtoTime::Of(decision.reset_after));
  writer.WriteNumber(9, NumberOf(each.enforcement));
  writer.WriteNumber(10, NumberOf(decision.source));
  if (times.wait) WriteTime(writer, 11, ProtoTime::Of(decision.wait));
}

std::size_t RoomFor(const LimiterVerdict& verdict) {
  std::size_t room =
      3 * kNumberRoom + 2 * kTimeRoom + TextRoom(verdict.rule) + TextRoom(verdict.message);
  for (const LimiterDecision& each : verdict.decisions) room += kMessageRoom + RoomFor(each);
  return room;
}

void Write(const LimiterVerdict& verdict, ProtoWriter& writer) {
  const Times times = TimesOf(verdict);
  writer.WriteNumber(1, verdict.allowed ? 1 : 0);
  if (times.retry_after) WriteTime(writer, 2, ProtoTime::Of(verdict.retry_after));
  writer.WriteNumber(3, times.never ? 1 : 0);
  if (times.wait) WriteTime(writer, 4, ProtoTime::Of(verdict.wait));
  writer.WriteText(5, verdict.rule);
  writer.WriteNumber(6, verdict.status);
  writer.WriteText(7, verdict.message);
  for (const LimiterDecision& each : verdict.decisions) {
    writer.Message(8, [&](ProtoWriter& own) { Write(each, own); });
  }
}

void Clear(LimiterChecks& checks) {
  checks.checks.clear();
  checks.attributes.clear();
}

}  // namespace

std::optional<GrpcFault> ReadLimiterCheck(std::string_view message, const LimiterBounds& bounds,
                                          LimiterChecks& checks) {
  Clear(checks);
  ChecksReader reader(bounds, checks);
  if (reader.ReadCheck(message)) return std::nullopt;
  return reader.fault().ToGrpc();
}

std::optional<GrpcFault> ReadLimiterBatch(std::string_view message, const LimiterBounds& bounds,
                                          LimiterChecks& checks) {
  Clear(checks);
  ChecksReader reader(bounds, checks);
  if (reader.ReadBatch(message)) return std::nullopt;
  return reader.fault().ToGrpc();
}

void AppendLimiterVerdict(const LimiterVerdict& verdict, std::string& out) {
  AppendProto(RoomFor(verdict), out, [&](ProtoWriter& writer) { Write(verdict, writer); });
}

void AppendLimiterAnswer(const LimiterVerdict& verdict, std::string& out) {
  AppendProto(2 * kMessageRoom + RoomFor(verdict), out, [&](ProtoWriter& writer) {
    writer.Message(1, [&](ProtoWriter& answer) {
      answer.Message(1, [&](ProtoWriter& own) { Write(verdict, own); });
    });
  });
}

void AppendLimiterAnswer(const GrpcFault& problem, std::string& out) {
  const std::size_t room = 2 * kMessageRoom + kNumberRoom + TextRoom(problem.message);
  AppendProto(room, out, [&](ProtoWriter& writer) {
    writer.Message(1, [&](ProtoWriter& answer) {
      answer.Message(2, [&](ProtoWriter& own) {
        own.WriteNumber(1, static_cast<std::uint64_t>(problem.status));
        own.WriteText(2, problem.message);
      });
    });
  });
}

}  // namespace sluice
