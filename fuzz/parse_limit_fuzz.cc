// Fuzzes limits: parsing, writing and parsing again, then decisions.
//
// The first line is the limit: a string or, if it begins with '{', a mapping in JSON. The bytes
// after it choose the operations on one key under the limit, and their times.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>

#include "core/limit/format_limit.h"
#include "fuzz/byte_reader.h"
#include "fuzz/must.h"
#include "fuzz/places.h"
#include "fuzz/read_limit.h"
#include "support/core_state.h"

namespace sluice::fuzz {
namespace {

using sluice::testing::CoreState;

using Read = std::variant<Limit, PositionedError>;

void MustReadBack(const Limit& limit) {
  const Read again = ReadLimit(FormatLimit(limit.spec));
  const auto* same = std::get_if<Limit>(&again);
  Must(same != nullptr && same->spec == limit.spec, "a limit that is written reads back the same");
}

bool IsPermits(const Limit& limit) { return std::holds_alternative<Concurrency>(limit.terms); }

// One key under one limit, with its last decision.
class Key {
 public:
  explicit Key(const Limit& limit) : state_(limit.terms), is_permits_(IsPermits(limit)) {}

  void Step(ByteReader& bytes) {
    Move(bytes);
    const Cost cost = PickCost(bytes);
    switch (bytes.Below(8)) {
      case 0:
        last_ = state_.Refund(cost, now_);
        break;
      case 1:
        last_ = state_.Reset(now_);
        break;
      case 2:
        if (is_permits_) last_ = state_.Release({bytes.Byte()}, now_);
        break;
      case 3:
        if (is_permits_) last_ = state_.Renew({bytes.Byte()}, now_);
        break;
      default:
        Check(cost, bytes);
    }
    Must(last_.reset_after >= Nanos(0) && last_.wait >= Nanos(0), "no time is negative");
    Must(last_.remaining >= 0 || last_.remaining == kNoUnits, "no units are negative");
  }

 private:
  // Advances the time to where the last decision changes, to just before that, or by any length.
  void Move(ByteReader& bytes) {
    const auto any = static_cast<std::int64_t>(bytes.Number() >> 1U);
    const Nanos moves[] = {Nanos(0),          last_.retry_after, last_.retry_after - Nanos(1),
                           last_.reset_after, last_.wait,        Nanos(any)};
    const Nanos move = bytes.Pick(std::span(moves));
    now_ += std::clamp(move, Nanos(0), kLatestTime - now_);
  }

  Cost PickCost(ByteReader& bytes) {
    const auto any = static_cast<std::int64_t>(bytes.Number() >> 1U);
    const std::int64_t more = last_.remaining == INT64_MAX ? INT64_MAX : last_.remaining + 1;
    const std::int64_t costs[] = {1, 0, last_.remaining, more, last_.limit, any};
    return {std::max(bytes.Pick(std::span(costs)), std::int64_t{0})};
  }

  void Check(Cost cost, ByteReader& bytes) {
    const Decision asked = state_.Peek(cost, now_);
    Must(state_.Peek(cost, now_) == asked, "a peek changes nothing");
    last_ = is_permits_ ? state_.Acquire({bytes.Byte()}, cost, now_) : state_.Check(cost, now_);
    // Acquiring a permit that is already held succeeds again.
    Must(last_.allowed == asked.allowed || is_permits_, "a peek says what a check would");
    Must(cost.units != 0 || last_.allowed, "a cost of 0 passes");
    const bool is_above = last_.limit != kNoUnits && cost.units > last_.limit;
    Must(!is_above || (!last_.allowed && last_.retry_after == kNever),
         "a cost above the limit never passes");
    if (!last_.allowed) MustPassLater(cost);
  }

  void MustPassLater(Cost cost) {
    Must(last_.retry_after > Nanos(0), "what is refused passes later, not now");
    if (last_.retry_after > kLatestTime - now_) return;
    CoreState later = state_;
    Must(!later.Peek(cost, now_ + last_.retry_after - Nanos(1)).allowed,
         "a request does not pass before retry_after");
    Must(later.Peek(cost, now_ + last_.retry_after).allowed, "a request passes after retry_after");
  }

  CoreState state_;
  bool is_permits_;
  Time now_{};
  Decision last_;
};

void Run(ByteReader bytes) {
  constexpr int kMaxSteps = 64;
  const std::string text = bytes.BytesUntil('\n');
  const Read read = ReadLimit(text);
  if (const auto* error = std::get_if<PositionedError>(&read)) {
    Places(text).MustHave(error->at);
    // The caller of ParseLimit rejects text that is not UTF-8, so only the mapping's message is
    // checked.
    if (text.starts_with('{')) MustBeMessage(error->message);
    return;
  }
  const Limit& limit = *std::get_if<Limit>(&read);
  MustReadBack(limit);
  Key key(limit);
  for (int i = 0; i < kMaxSteps && !bytes.AtEnd(); ++i) key.Step(bytes);
}

}  // namespace
}  // namespace sluice::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  sluice::fuzz::Run(sluice::fuzz::ByteReader(std::span(data, size)));
  return 0;
}
