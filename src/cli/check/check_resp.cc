// Checks over RESP: SLUICE.CHECK.
#include <chrono>
#include <cstddef>
#include <span>
#include <string>
#include <utility>

#include "base/text.h"
#include "cli/check/check_client.h"
#include "wire/resp/resp_value_reader.h"
#include "wire/resp/resp_writer.h"

namespace sluice::cli {
namespace {

constexpr std::size_t kMembers = 7;

std::optional<std::int64_t> UnitsOf(const RespNode& node) {
  return node.integer < 0 ? std::nullopt : std::optional(node.integer);
}

// An impossible length counts as not reported.
std::optional<Nanos> MillisOf(const RespNode& node) {
  constexpr std::chrono::milliseconds kUnit{1};
  if (node.integer < 0 || node.integer > kLongestSpan / kUnit) return std::nullopt;
  return node.integer * kUnit;
}

// allowed, limit, remaining, retry_after_ms, reset_after_ms, rule, wait_ms; see docs/resp.md.
CheckAnswer AnswerIn(std::span<const RespNode> members) {
  CheckAnswer answer{.allowed = members[0].integer != 0,
                     .wait = MillisOf(members[6]).value_or(Nanos{0})};
  if (!answer.allowed) answer.retry_after = members[3].integer < 0 ? kNever : MillisOf(members[3]);
  if (members[5].type == RespType::kNull) return answer;
  answer.limits.push_back({.rule = std::string(members[5].text),
                           .allowed = answer.allowed,
                           .units = UnitsOf(members[1]),
                           .remaining = UnitsOf(members[2]),
                           .retry_after = answer.retry_after,
                           .reset_after = MillisOf(members[4])});
  return answer;
}

bool IsVerdict(std::span<const RespNode> nodes) {
  if (nodes.size() != kMembers + 1 || nodes[0].type != RespType::kArray) return false;
  for (const std::size_t number : {1U, 2U, 3U, 4U, 5U, 7U}) {
    if (nodes[number].type != RespType::kInteger) return false;
  }
  return true;
}

class RespConversation final : public CheckClient {
 public:
  RespConversation(const CheckQuestion& question, const Credentials& shown)
      : awaits_login_(!shown.token.empty()) {
    output = AuthCommand(shown.token);
    RespWriter writer(RespVersion::k2, output);
    const bool peeks = question.call == CheckCall::kPeek;
    writer.ArrayHeader((peeks ? 5U : 4U) + 2 * question.attributes.size());
    writer.Bulk("SLUICE.CHECK");
    writer.Bulk(question.domain);
    writer.Bulk("COST");
    writer.Bulk(std::to_string(question.cost.units));
    if (peeks) writer.Bulk("PEEK");
    for (const Attribute& attribute : question.attributes) {
      writer.Bulk(attribute.name);
      writer.Bulk(attribute.value);
    }
  }

  void Receive(std::string_view bytes) override {
    unread_ += bytes;
    while (!answer()) {
      const RespValueRead read = reader_.Read(unread_);
      if (read.state == ReadState::kMore) return;
      if (read.state == ReadState::kFault) {
        return Fail(Concat("does not speak RESP: ", read.fault));
      }
      ReadReply(read.nodes);
      unread_.erase(0, read.consumed);
    }
  }

  void ReceiveEnd() override { Fail(std::string(kClosed)); }

 private:
  void ReadReply(std::span<const RespNode> nodes) {
    const RespNode& first = nodes.front();
    const bool is_login = std::exchange(awaits_login_, false);
    if (first.type == RespType::kError || first.type == RespType::kBlobError) {
      return Fail(
          Concat(is_login ? "does not take the token: " : "answered: ", Printable(first.text)));
    }
    if (is_login) return;
    if (!IsVerdict(nodes)) return Fail("answered SLUICE.CHECK with something else");
    Answer(AnswerIn(nodes.subspan(1)));
  }

  bool awaits_login_;  // the next reply is the one to AUTH
  std::string unread_;
  RespValueReader reader_{{}};
};

}  // namespace

std::unique_ptr<CheckClient> AskByResp(const CheckQuestion& question, const Credentials& shown) {
  return std::make_unique<RespConversation>(question, shown);
}

}  // namespace sluice::cli
