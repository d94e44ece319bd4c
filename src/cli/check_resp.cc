// Asking by RESP: SLUICE.CHECK.
#include <chrono>
#include <cstddef>
#include <span>
#include <string>

#include "cli/conversation.h"
#include "core/text.h"
#include "wire/resp_value_reader.h"
#include "wire/resp_writer.h"

namespace sluice::cli {
namespace {

constexpr std::size_t kMembers = 7;

std::optional<std::int64_t> UnitsOf(const RespNode& node) {
  return node.integer < 0 ? std::nullopt : std::optional(node.integer);
}

Nanos MillisOf(const RespNode& node) { return std::chrono::milliseconds{node.integer}; }

// allowed, limit, remaining, retry_after_ms, reset_after_ms, rule, wait_ms; see docs/resp.md.
CheckAnswer AnswerIn(std::span<const RespNode> members) {
  CheckAnswer answer{.allowed = members[0].integer != 0, .wait = MillisOf(members[6])};
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

class RespConversation final : public Conversation {
 public:
  explicit RespConversation(const CheckQuestion& question) {
    RespWriter writer(RespVersion::k2, output);
    writer.ArrayHeader(4 + 2 * question.attributes.size());
    writer.Bulk("SLUICE.CHECK");
    writer.Bulk(question.domain);
    writer.Bulk("COST");
    writer.Bulk(std::to_string(question.cost.units));
    for (const Attribute& attribute : question.attributes) {
      writer.Bulk(attribute.name);
      writer.Bulk(attribute.value);
    }
  }

  void Receive(std::string_view bytes) override {
    unread_ += bytes;
    const RespValueRead read = reader_.Read(unread_);
    if (read.state == ReadState::kMore) return;
    if (read.state == ReadState::kFault) {
      return Fail(Concat("does not speak RESP: ", read.fault));
    }
    const RespNode& first = read.nodes.front();
    if (first.type == RespType::kError || first.type == RespType::kBlobError) {
      return Fail(Concat("answered: ", Printable(first.text)));
    }
    if (!IsVerdict(read.nodes)) return Fail("answered SLUICE.CHECK with something else");
    Answer(AnswerIn(read.nodes.subspan(1)));
  }

  void ReceiveEnd() override { Fail(std::string(kClosed)); }

 private:
  std::string unread_;
  RespValueReader reader_{{}};
};

}  // namespace

std::unique_ptr<Conversation> AskByResp(const CheckQuestion& question) {
  return std::make_unique<RespConversation>(question);
}

}  // namespace sluice::cli
