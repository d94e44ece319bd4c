// Fuzzes the state that Redis returns for a key: it is rejected, or leads to decisions within
// bounds.
//
// The first line is the limit, a string or a mapping in JSON. One byte each follows for the
// operation and the status, then numbers for the cost and the time; the rest is the state of the
// key.
#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "fuzz/byte_reader.h"
#include "fuzz/must.h"
#include "fuzz/read_limit.h"
#include "remote/script/new_terms.h"
#include "remote/script/script_reply.h"

namespace sluice::fuzz {
namespace {

constexpr std::string_view kKey = "sluice:{abc}0123456789abcdefghijkl";
constexpr std::array kOperations{Operation::kCheck, Operation::kPeek, Operation::kDebt,
                                 Operation::kRefund, Operation::kReset};

void MustBeInBounds(const Decision& decision) {
  Must(decision.remaining <= decision.limit, "what is left is within the limit");
  Must(decision.retry_after >= Nanos{0}, "nobody comes back in the past");
  Must(decision.reset_after >= Nanos{0}, "nothing was over before");
  Must(decision.wait >= Nanos{0}, "nobody waits for the past");
  Must(decision.allowed || decision.retry_after > Nanos{0}, "who is refused is told until when");
}

// Converts states of other terms to the current terms, and decides with both.
void MustMeet(ScriptCall& call, std::span<const RespNode> reply) {
  FirstTerms terms;
  const Result<Meeting> meeting = MeetTerms(call, reply, terms);
  if (!meeting.ok()) return;
  for (const NewState& each : meeting.value().states) {
    Must(KeyState::Read(call, each.key, each.text).has_value(), "what is written can be read");
  }
  std::string command;
  call.Write(TimeOfReply(reply), command);
  if (call.firsts() == 0) return;
  const RespNode& first = reply.back();
  for (const std::int64_t status : {0, 1}) {
    std::vector<RespNode> both(reply.begin(), reply.end());
    both[1].integer = status;
    both.back().text = {};
    both.push_back(first);
    Decision decision;
    const Result<ScriptOutcome> outcome = ReadScriptReply(call, both, {&decision, 1});
    if (outcome.ok()) MustBeInBounds(decision);
  }
}

void Run(ByteReader bytes) {
  const auto read = ReadLimit(bytes.BytesUntil('\n'));
  if (std::holds_alternative<PositionedError>(read)) return;
  const Result<RemoteLimit> limit = RemoteLimit::Make(std::get<Limit>(read));
  if (!limit.ok()) return;
  const Operation operation = bytes.Pick(kOperations);
  const bool is_permits = std::holds_alternative<Concurrency>(limit.value().terms());
  if (is_permits && operation == Operation::kDebt) return;
  const auto status = static_cast<std::int64_t>(bytes.Below(3));
  const Cost cost{static_cast<std::int64_t>(bytes.Number() >> 1U)};
  const auto micros = static_cast<std::int64_t>(bytes.Number() % 6'000'000'000'000'000);
  const std::string state = bytes.Bytes(SIZE_MAX);

  ScriptCall call(operation, {.key = kKey, .limit = &limit.value(), .cost = cost});
  const std::array<RespNode, 5> reply{
      RespNode{.type = RespType::kArray, .end = 5, .integer = 4},
      RespNode{.type = RespType::kInteger, .end = 2, .integer = status},
      RespNode{.type = RespType::kInteger, .end = 3, .integer = micros / 1'000'000},
      RespNode{.type = RespType::kInteger, .end = 4, .integer = micros % 1'000'000},
      RespNode{.type = RespType::kBulk, .end = 5, .text = state}};
  Decision decision;
  const Result<ScriptOutcome> outcome = ReadScriptReply(call, reply, {&decision, 1});
  if (!outcome.ok()) return;
  if (outcome.value().status == ScriptStatus::kDecided) MustBeInBounds(decision);
  if (outcome.value().status == ScriptStatus::kOtherTerms) MustMeet(call, reply);
}

}  // namespace
}  // namespace sluice::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  sluice::fuzz::Run(sluice::fuzz::ByteReader(std::span(data, size)));
  return 0;
}
