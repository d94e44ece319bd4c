#include "remote/script/permit_call.h"

#include <algorithm>
#include <array>
#include <cassert>
#include <chrono>
#include <variant>

#include "base/hex_digits.h"
#include "core/algorithm/refusal.h"
#include "remote/script/redis_scripts.h"
#include "remote/script/script_arguments.h"
#include "wire/resp/resp_writer.h"

namespace sluice {
namespace {

std::string NameOf(PermitId permit) {
  std::string name;
  AppendHexDigits(permit.value, name);
  return name;
}

std::string_view LetterOf(Operation operation) {
  if (operation == Operation::kAcquire) return "a";
  return operation == Operation::kRenew ? "n" : "l";
}

// Layout: 1 if it passes, seconds, microseconds, units, last deadline, deadline that frees enough.
bool IsReply(std::span<const RespNode> reply) {
  constexpr std::array<std::int64_t, 6> kMax = {1,
                                                6'000'000'000,
                                                999'999,
                                                std::int64_t{1} << 53U,
                                                std::int64_t{1} << 53U,
                                                std::int64_t{1} << 53U};
  if (reply.size() != kMax.size() + 1 || reply[0].type != RespType::kArray) return false;
  for (std::size_t i = 0; i < kMax.size(); ++i) {
    const RespNode& node = reply[i + 1];
    const bool is_number = node.type == RespType::kInteger;
    if (!is_number || node.integer < 0 || node.integer > kMax[i]) return false;
  }
  return true;
}

Time MicrosAt(const RespNode& node) { return Time{std::chrono::microseconds{node.integer}}; }

}  // namespace

PermitCall::PermitCall(Operation operation, const RemoteCharge& charge, PermitId permit)
    : operation_(operation),
      key_(charge.key),
      limit_(charge.limit),
      cost_(charge.cost),
      permit_(permit) {
  assert(operation == Operation::kAcquire || operation == Operation::kRenew ||
         operation == Operation::kRelease);
}

const Concurrency& PermitCall::terms() const { return std::get<Concurrency>(limit_->terms()); }

void PermitCall::Write(std::string& out) const {
  ScriptArguments arguments;
  arguments.Text(LetterOf(operation_));
  arguments.Text(NameOf(permit_));
  arguments.Number(terms().max_in_flight);
  arguments.Number(std::min(cost_.units, terms().max_in_flight + 1));
  arguments.Micros(terms().ttl);
  RespWriter writer(RespVersion::k2, out);
  writer.ArrayHeader(4 + arguments.count());
  writer.Bulk("EVALSHA");
  writer.Bulk(PermitScript().sha1);
  writer.Bulk("1");
  writer.Bulk(key_);
  out.append(arguments.bytes());
}

Result<PermitOutcome> PermitCall::Read(std::span<const RespNode> reply) const {
  if (!IsReply(reply)) return Error{"Redis answered with something else than a decision"};
  PermitOutcome outcome;
  outcome.now =
      Time{std::chrono::seconds{reply[2].integer} + std::chrono::microseconds{reply[3].integer}};
  Decision& decision = outcome.decision;
  decision.limit = terms().max_in_flight;
  decision.remaining = std::max<std::int64_t>(0, terms().max_in_flight - reply[4].integer);
  if (reply[4].integer > 0) decision.reset_after = MicrosAt(reply[5]) - outcome.now;
  if (reply[1].integer == 1) return outcome;
  const bool waits = operation_ == Operation::kAcquire && cost_.units <= terms().max_in_flight;
  decision = Refusal(decision, waits ? MicrosAt(reply[6]) - outcome.now : kNever);
  return outcome;
}

}  // namespace sluice
