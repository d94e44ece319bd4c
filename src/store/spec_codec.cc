#include "store/spec_codec.h"

#include <cstdint>
#include <optional>
#include <string>
#include <type_traits>

namespace sluice {
namespace {

// Writes each member as a byte that says whether it is present, then its value. WalkMembers makes
// Read and Write visit the members in the same order.
class Write {
 public:
  explicit Write(SnapshotWriter& out) : out_(out) {}

  template <typename T>
  void Member(const std::optional<T>& member) {
    out_.Number(static_cast<std::uint8_t>(member.has_value()));
    if (member) Value(*member);
  }
  template <typename T>
  void Value(const T& value) {
    out_.Number(value);
  }
  void Value(bool value) { out_.Number(static_cast<std::uint8_t>(value)); }
  void Value(const std::string& value) { out_.Text(value); }
  void Value(const Rate& value) {
    Value(value.count);
    Value(value.period);
    Member(value.unit);
  }

 private:
  SnapshotWriter& out_;
};

// The last enumerator of each enum.
constexpr Algorithm LastOf(Algorithm /*of*/) { return Algorithm::kConcurrency; }
constexpr Refill LastOf(Refill /*of*/) { return Refill::kInterval; }
constexpr WindowKind LastOf(WindowKind /*of*/) { return WindowKind::kStaggered; }
constexpr CalendarUnit LastOf(CalendarUnit /*of*/) { return CalendarUnit::kYear; }
constexpr OldestPart LastOf(OldestPart /*of*/) { return OldestPart::kWeighted; }

class Read {
 public:
  explicit Read(SnapshotReader& in) : in_(in) {}

  template <typename T>
  void Member(std::optional<T>& member) {
    bool written = false;
    Value(written);
    if (!written) return;
    member.emplace();
    Value(*member);
  }
  template <typename T>
  void Value(T& value) {
    if constexpr (std::is_enum_v<T>) {
      const auto number = in_.Number<std::underlying_type_t<T>>();
      if (number > static_cast<std::underlying_type_t<T>>(LastOf(T{}))) return in_.Fail();
      value = static_cast<T>(number);
    } else {
      value = in_.Number<T>();
    }
  }
  void Value(bool& value) {
    const auto byte = in_.Number<std::uint8_t>();
    if (byte > 1) return in_.Fail();
    value = byte == 1;
  }
  void Value(std::string& value) { value = in_.Text(); }
  void Value(Rate& value) {
    Value(value.count);
    Value(value.period);
    Member(value.unit);
  }

 private:
  SnapshotReader& in_;
};

template <typename Walk, typename Spec>
void WalkMembers(Walk walk, Spec& spec) {
  walk.Value(spec.algorithm);
  walk.Member(spec.rate);
  walk.Member(spec.burst);
  walk.Member(spec.refill);
  walk.Member(spec.aligned);
  walk.Member(spec.max_wait);
  walk.Member(spec.delay_after);
  walk.Member(spec.window);
  walk.Member(spec.zone);
  walk.Member(spec.count_refused);
  walk.Member(spec.min_gap);
  walk.Member(spec.buckets);
  walk.Member(spec.oldest);
  walk.Member(spec.warm_up);
  walk.Member(spec.cold_factor);
  walk.Member(spec.max_in_flight);
  walk.Member(spec.ttl);
}

}  // namespace

void WriteAlgorithm(Algorithm algorithm, SnapshotWriter& out) { Write(out).Value(algorithm); }

Algorithm ReadAlgorithm(SnapshotReader& in) {
  auto algorithm = Algorithm::kTokenBucket;
  Read(in).Value(algorithm);
  return algorithm;
}

void WriteSpec(const LimitSpec& spec, SnapshotWriter& out) { WalkMembers(Write(out), spec); }

LimitSpec ReadSpec(SnapshotReader& in) {
  LimitSpec spec;
  WalkMembers(Read(in), spec);
  return spec;
}

}  // namespace sluice
