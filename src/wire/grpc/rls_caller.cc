#include "wire/grpc/rls_caller.h"

#include <algorithm>
#include <limits>

#include "wire/grpc/proto_reader.h"
#include "wire/grpc/proto_writer.h"

namespace sluice {
namespace {

constexpr std::uint64_t kMaxAddend = std::numeric_limits<std::uint32_t>::max();
constexpr std::uint64_t kNanosPerSecond = 1'000'000'000;
// The maximum that google.protobuf.Duration defines (315,576,000,000 s) does not fit Nanos; this
// does.
constexpr std::uint64_t kMaxSeconds = 9'000'000'000;

// Reads the parts of a reply into the answer. Each method returns false and sets the fault if the
// reply is malformed.
class AnswerReader {
 public:
  explicit AnswerReader(RlsAnswer& answer) : answer_(answer) {}

  bool Read(std::string_view message) {
    bool has_overall = false;
    ProtoReader reader(message);
    while (reader.Next()) {
      switch (reader.key()) {
        case VarintKey(1):
          if (!ReadCode(reader, answer_.overall)) return false;
          has_overall = true;
          break;
        case BytesKey(2):
          if (!ReadStatus(reader.Bytes())) return false;
          break;
        default:
          reader.Skip();
      }
    }
    if (reader.failed()) return Refuse(reader.fault());
    return has_overall || Refuse(kNoCode);
  }

  [[nodiscard]] std::string_view fault() const { return fault_; }

 private:
  static constexpr std::string_view kNoCode = "has a code that is neither OK nor OVER_LIMIT";

  bool ReadCode(ProtoReader& reader, RlsCode& code) {
    const std::uint64_t number = reader.Varint();
    if (reader.failed()) return true;  // the caller's loop reports the error
    code = static_cast<RlsCode>(number);
    return number == static_cast<std::uint64_t>(RlsCode::kOk) ||
           number == static_cast<std::uint64_t>(RlsCode::kOverLimit) || Refuse(kNoCode);
  }

  bool ReadStatus(std::string_view message) {
    RlsStatus& status = answer_.statuses.emplace_back();
    ProtoReader reader(message);
    while (reader.Next()) {
      switch (reader.key()) {
        case VarintKey(1):
          if (!ReadCode(reader, status.code)) return false;
          break;
        case BytesKey(2):
          if (!ReadLimit(reader.Bytes(), status.limit.emplace())) return false;
          break;
        case VarintKey(3):
          status.remaining = Narrow(reader.Varint());
          break;
        case BytesKey(4):
          if (!ReadDuration(reader.Bytes(), status.until_reset.emplace(0))) return false;
          break;
        default:
          reader.Skip();
      }
    }
    return !reader.failed() || Refuse(reader.fault());
  }

  bool ReadLimit(std::string_view message, RlsLimit& limit) {
    ProtoReader reader(message);
    while (reader.Next()) {
      switch (reader.key()) {
        case VarintKey(1):
          limit.requests_per_unit = Narrow(reader.Varint());
          break;
        case VarintKey(2):
          limit.unit = UnitOf(reader.Varint());
          break;
        case BytesKey(3):
          limit.name = reader.Bytes();
          break;
        case BytesKey(4):
          if (!ReadMultiplier(reader.Bytes(), limit.multiplier)) return false;
          break;
        default:
          reader.Skip();
      }
    }
    return !reader.failed() || Refuse(reader.fault());
  }

  // Reads a UInt32Value. A multiplier of 0 would mean an empty period, so it is taken as 1.
  bool ReadMultiplier(std::string_view message, std::uint32_t& multiplier) {
    ProtoReader reader(message);
    while (reader.Next()) {
      if (reader.key() == VarintKey(1)) {
        multiplier = std::max(Narrow(reader.Varint()), 1U);
      } else {
        reader.Skip();
      }
    }
    return !reader.failed() || Refuse(reader.fault());
  }

  bool ReadDuration(std::string_view message, Nanos& length) {
    std::uint64_t seconds = 0;
    std::uint64_t nanos = 0;
    ProtoReader reader(message);
    while (reader.Next()) {
      switch (reader.key()) {
        case VarintKey(1):
          seconds = reader.Varint();
          break;
        case VarintKey(2):
          nanos = reader.Varint();
          break;
        default:
          reader.Skip();
      }
    }
    if (reader.failed()) return Refuse(reader.fault());
    if (seconds > kMaxSeconds || nanos >= kNanosPerSecond) {
      return Refuse("has a duration until the reset that is none");
    }
    length = Nanos{static_cast<std::int64_t>(seconds * kNanosPerSecond + nanos)};
    return true;
  }

  // Truncates numbers that do not fit, as protobuf specifies.
  static std::uint32_t Narrow(std::uint64_t value) { return static_cast<std::uint32_t>(value); }
  static RlsUnit UnitOf(std::uint64_t number) {
    const bool is_known = number <= static_cast<std::uint64_t>(RlsUnit::kWeek);
    return is_known ? static_cast<RlsUnit>(number) : RlsUnit::kUnknown;
  }

  bool Refuse(std::string_view fault) {
    fault_ = fault;
    return false;
  }

  RlsAnswer& answer_;
  std::string_view fault_;
};

}  // namespace

void AppendRlsQuestion(const RlsQuestion& question, std::string& out) {
  const auto units = static_cast<std::uint64_t>(question.cost.units);
  const bool fits_request = units > 0 && units <= kMaxAddend;
  std::size_t room = TextRoom(question.domain) + 2 * kMessageRoom + 2 * kNumberRoom;
  for (const Attribute& entry : question.entries) {
    room += kMessageRoom + TextRoom(entry.name) + TextRoom(entry.value);
  }
  AppendProto(room, out, [&](ProtoWriter& writer) {
    writer.WriteText(1, question.domain);
    writer.Message(2, [&](ProtoWriter& descriptor) {
      for (const Attribute& entry : question.entries) {
        descriptor.Message(1, [&](ProtoWriter& own) {
          own.WriteText(1, entry.name);
          own.WriteText(2, entry.value);
        });
      }
      if (!fits_request) {
        descriptor.Message(3, [&](ProtoWriter& own) { own.WriteNumber(1, units); });
      }
    });
    if (fits_request) writer.WriteNumber(3, units);
  });
}

std::optional<std::string_view> ReadRlsAnswer(std::string_view message, RlsAnswer& answer) {
  answer.statuses.clear();
  AnswerReader reader(answer);
  if (reader.Read(message)) return std::nullopt;
  return reader.fault();
}

}  // namespace sluice
