#include "remote/new_terms.h"

#include <cassert>
#include <chrono>
#include <memory>
#include <optional>
#include <utility>
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

// Whether the stored terms would have more left if the state were converted back to them.
bool CutsUnits(const Terms& stored, KeyState& before, KeyState& converted, Time now) {
  if (std::holds_alternative<FixedWindow>(stored)) {
    // Counts are converted one to one. A tag names no zone, so no window can be opened under it.
    const Decision was = before.Peek(Cost{0}, now);
    const Decision is = converted.Peek(Cost{0}, now);
    return was.limit - was.remaining > is.limit - is.remaining;
  }
  KeyState back(stored);
  if (!back.TakeOver(converted, now)) return false;
  return back.Peek(Cost{0}, now).remaining > before.Peek(Cost{0}, now).remaining;
}

// A limit with the terms of a tag. Null for windows of a calendar, whose zone a tag does not name.
std::shared_ptr<const RemoteLimit> StoredLimit(const RemoteLimit& own, const Terms& stored) {
  const auto* window = std::get_if<FixedWindow>(&stored);
  if (window != nullptr && window->window == WindowKind::kCalendar) return nullptr;
  Limit limit = own.limit();
  limit.terms = stored;
  Result<RemoteLimit> made = RemoteLimit::Make(limit);
  if (!made.ok()) return nullptr;
  return std::make_shared<const RemoteLimit>(std::move(made).value());
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
    const bool cuts_units = CutsUnits(*from, *state, converted, now);
    replacements.push_back({i, std::string(text), converted.ToText(key.limit->tag(), now),
                            converted.UnusedFrom(), cuts_units,
                            cuts_units ? StoredLimit(*key.limit, *from) : nullptr});
  }
  return replacements;
}

bool ChangesStates(const ScriptCall& call, std::span<const Decision> decisions, bool goes_ahead) {
  for (std::size_t i = 0; i < call.charges(); ++i) {
    const ScriptItem& item = call.items()[call.ItemOf(i)];
    if (item.kind == ItemKind::kReset) return true;
    if (item.kind == ItemKind::kAsk || item.cost.units == 0) continue;
    if (item.kind != ItemKind::kCheck) return true;
    const RemoteLimit& limit = *call.keys()[item.key].limit;
    const bool records =
        limit.limit().spec.count_refused.value_or(false) && item.left_alone.units == 0;
    if (decisions[i].allowed ? goes_ahead : records) return true;
  }
  return false;
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
