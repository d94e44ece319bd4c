// google.protobuf.Duration and Timestamp: whole seconds in field 1, the remaining nanoseconds in
// field 2.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>

#include "sluice/time.h"
#include "wire/grpc/proto_writer.h"

namespace sluice {

struct ProtoTime {
  std::uint64_t seconds = 0;
  std::uint64_t nanos = 0;

  // REQUIRES: length >= 0.
  static ProtoTime Of(Nanos length) {
    constexpr std::uint64_t kNanosPerSecond = 1'000'000'000;
    const auto count = static_cast<std::uint64_t>(length.count());
    return {count / kNanosPerSecond, count % kNanosPerSecond};
  }
  // REQUIRES: time is not before 1970.
  static ProtoTime Of(Time time) { return Of(time.time_since_epoch()); }
};

inline constexpr std::size_t kTimeRoom = kMessageRoom + 2 * kNumberRoom;

inline void WriteTime(ProtoWriter& writer, std::uint32_t field, ProtoTime time) {
  writer.Message(field, [&](ProtoWriter& own) {
    own.WriteNumber(1, time.seconds);
    own.WriteNumber(2, time.nanos);
  });
}

}  // namespace sluice
