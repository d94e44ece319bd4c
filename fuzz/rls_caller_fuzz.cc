// Fuzzes the reader of RateLimitResponse with arbitrary bytes; replies it accepts read the same
// after they are written.
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "fuzz/must.h"
#include "wire/grpc/rls_caller.h"

namespace sluice::fuzz {
namespace {

void MustBePartOf(std::string_view message, std::string_view text) {
  Must(text.empty() || (text.data() >= message.data() &&
                        text.data() + text.size() <= message.data() + message.size()),
       "a text views its message");
}

bool IsCode(RlsCode code) { return code == RlsCode::kOk || code == RlsCode::kOverLimit; }

bool AreSame(const RlsStatus& one, const RlsStatus& other) {
  const bool same_limit =
      one.limit.has_value() == other.limit.has_value() &&
      (!one.limit ||
       (one.limit->requests_per_unit == other.limit->requests_per_unit &&
        one.limit->unit == other.limit->unit && one.limit->name == other.limit->name &&
        one.limit->multiplier == other.limit->multiplier));
  return one.code == other.code && one.remaining == other.remaining &&
         one.until_reset == other.until_reset && same_limit;
}

void Read(std::string_view message) {
  RlsAnswer answer;
  if (const auto fault = ReadRlsAnswer(message, answer)) {
    Must(!fault->empty(), "a fault says what it is");
    return;
  }
  Must(IsCode(answer.overall), "an answer has a code");
  for (const RlsStatus& status : answer.statuses) {
    Must(IsCode(status.code), "a status has a code");
    Must(!status.until_reset || *status.until_reset >= Nanos{0}, "no reset is in the past");
    if (status.limit) MustBePartOf(message, status.limit->name);
  }
  RlsReply reply;
  reply.overall = answer.overall;
  reply.statuses = answer.statuses;
  std::string out;
  AppendRlsReply(reply, out);
  RlsAnswer again;
  Must(!ReadRlsAnswer(out, again).has_value(), "what was written is read");
  Must(again.overall == answer.overall && again.statuses.size() == answer.statuses.size(),
       "it is the same answer");
  for (std::size_t i = 0; i < answer.statuses.size(); ++i) {
    Must(AreSame(answer.statuses[i], again.statuses[i]), "with the same statuses");
  }
}

}  // namespace
}  // namespace sluice::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  // Copied to the exact size, so that sanitizers detect reads beyond the end.
  const std::string message(data, data + size);
  sluice::fuzz::Read(message);
  return 0;
}
