#include "remote/new_terms.h"

#include <cassert>
#include <chrono>
#include <optional>
#include <variant>

#include "remote/key_state.h"
#include "remote/redis_script.h"
#include "remote/terms_tag.h"
#include "wire/resp_writer.h"

namespace sluice {
namespace {

// The status, seconds and microseconds, within an array.
constexpr std::size_t kHeadNodes = 4;

Time TimeOf(std::span<const RespNode> reply) {
  return Time{std::chrono::seconds{reply[2].integer} + std::chrono::microseconds{reply[3].integer}};
}

std::string_view TagIn(std::string_view text) { return text.substr(0, text.find(' ')); }

// How a state is kept, in a letter that replace.lua knows.
std::string_view KindOf(const Terms& terms) {
  if (std::holds_alternative<SlidingWindow>(terms)) return "w";
  return std::holds_alternative<SlidingBuckets>(terms) ? "s" : "v";
}

std::string Milliseconds(Time at) {
  return std::to_string(
      std::chrono::ceil<std::chrono::milliseconds>(at.time_since_epoch()).count());
}

}  // namespace

Result<std::vector<Replacement>> ConvertStates(const ScriptCall& call,
                                               std::span<const RespNode> reply) {
  assert(reply.size() == kHeadNodes + call.keys().size());
  const Time now = TimeOf(reply);
  std::vector<Replacement> replacements;
  for (std::size_t i = 0; i < call.keys().size(); ++i) {
    const ScriptKey& key = call.keys()[i];
    const std::string_view text = reply[kHeadNodes + i].text;
    const bool is_other = !text.empty() && TagIn(text) != key.limit->tag();
    if (!is_other || key.limit->tag().empty()) continue;
    const std::optional<Terms> from = TermsOfTag(TagIn(text));
    std::optional<KeyState> state = from ? KeyState::ReadText(*from, text) : std::nullopt;
    KeyState converted(key.limit->terms(), key.stagger);
    if (!state || !converted.TakeOver(*state, now)) {
      return Error{"Redis holds something else than a state under a key"};
    }
    replacements.push_back(
        {i, std::string(text), converted.ToText(key.limit->tag(), now), converted.UnusedFrom()});
  }
  return replacements;
}

void WriteReplacements(const ScriptCall& call, std::span<const Replacement> replacements,
                       std::string& out) {
  RespWriter writer(RespVersion::k2, out);
  writer.ArrayHeader(3 + 5 * replacements.size());
  writer.Bulk("EVALSHA");
  writer.Bulk(ReplaceScript().sha1);
  writer.Bulk(std::to_string(replacements.size()));
  for (const Replacement& each : replacements) writer.Bulk(call.keys()[each.key].name);
  for (const Replacement& each : replacements) {
    writer.Bulk(KindOf(call.keys()[each.key].limit->terms()));
    writer.Bulk(each.before);
    writer.Bulk(each.after);
    writer.Bulk(Milliseconds(each.unused_at));
  }
}

}  // namespace sluice
