#include "remote/script/new_terms.h"

#include <array>
#include <chrono>
#include <memory>
#include <optional>
#include <string_view>
#include <utility>

#include "remote/script/key_state.h"
#include "remote/script/key_text.h"
#include "remote/script/leniency.h"
#include "remote/script/redis_scripts.h"
#include "remote/script/script_reply.h"
#include "remote/script/terms_tag.h"
#include "wire/resp/resp_writer.h"

namespace sluice {
namespace {

using Place = NewState::Place;

std::string Milliseconds(Time at) {
  return std::to_string(
      std::chrono::ceil<std::chrono::milliseconds>(at.time_since_epoch()).count());
}

// Returns when no more is booked ahead under the terms than they admit at once. Anything beyond
// that is debts and waiting requests.
Time BookedUntil(const Terms& terms, const KeyText& text, Time now) {
  std::optional<KeyState> state = KeyState::ReadText(terms, text.state);
  if (!state) return now;
  return now + state->Peek(Cost{0}, now).reset_after - FillsIn(terms);
}

// One key of a reply.
struct MetKey {
  std::size_t place;
  KeyText text;  // the text of its first terms
  bool has_own;  // there is a state of the limit beside it
  Time now;      // the time in Redis

  // Returns whether its first terms have expired and are not those known from other keys.
  [[nodiscard]] bool IsOver(const KeptTerms& known) const {
    const bool is_known = known.limit && known.limit->tag() == text.tag;
    if (is_known || !text.kept_until || *text.kept_until > now) return false;
    const std::optional<Terms> first = TermsOfTag(text.tag);
    return !first || BookedUntil(*first, text, now) <= now;
  }
};

// Converts the state under the key's first terms to `to`. None if the text is not a state.
std::optional<NewState> Converted(const ScriptKey& key, const RemoteLimit& to, const MetKey& met) {
  const std::optional<Terms> first = TermsOfTag(met.text.tag);
  std::optional<KeyState> state = first ? KeyState::ReadText(*first, met.text.state) : std::nullopt;
  KeyState made(to.terms(), key.stagger);
  if (!state || !made.TakeOver(*state, met.now)) return std::nullopt;
  return NewState{.key = met.place,
                  .old_tag = std::string(met.text.tag),
                  .tag = to.tag(),
                  .text = made.ToText(to.tag()),
                  .unused_at = made.UnusedFrom()};
}

// Returns the first terms that a key should have: the most lenient of the limit's own (none), those
// known from other nodes, and those that the key has unless they have expired. `old`: the key's
// first terms if they differ from the limit's.
KeptTerms FirstOf(const RemoteLimit& own, const std::shared_ptr<const RemoteLimit>& old,
                  const MetKey& met, FirstTerms& terms) {
  KeptTerms known = terms.Find(own, met.now);
  if (!old || met.IsOver(known) || !IsMoreLenient(*old, own)) return known;
  const KeptTerms first = KeptSince({old, {}, Widened(*old, own)}, met.text, met.now);
  terms.Note(own, first, met.now);
  return known.limit && IsMoreLenient(*known.limit, *old) ? known : first;
}

bool AreSame(const KeptTerms& one, const KeptTerms& other) {
  if (!one.limit || !other.limit) return one.limit == other.limit;
  return one.limit->tag() == other.limit->tag();
}

// Sets the first terms of one key and adds the state it needs. Returns false if the key's text is
// not a state of the limit's algorithm.
bool Meet(ScriptCall& call, const MetKey& met, FirstTerms& terms, Meeting& meeting) {
  const ScriptKey& key = call.keys()[met.place];
  const RemoteLimit& own = *key.limit;
  if (met.text.tag.empty() || own.tag().empty()) return true;
  const bool is_own = met.text.tag == own.tag();
  const auto old = is_own ? nullptr : terms.OfTag(met.text.tag, own.terms());
  if (!is_own && !old) return false;
  const Place moved = met.IsOver(terms.Find(own, met.now)) ? Place::kAlone : Place::kFirst;
  KeptTerms first = FirstOf(own, old, met, terms);
  const RemoteLimit& to = first.limit ? *first.limit : own;
  const bool needs_first = to.tag() != met.text.tag;
  const bool needs_own = !is_own && !met.has_own && !met.text.HasBeside(own.tag());
  if (needs_first || needs_own) {
    std::optional<NewState> state = Converted(key, needs_first ? to : own, met);
    if (!state) return false;
    state->place = needs_first ? moved : Place::kBeside;
    state->first_kept_until = first.kept_until;
    meeting.states.push_back(*std::move(state));
  }
  meeting.is_new |= needs_first || needs_own || !AreSame(key.first, first);
  call.SetFirst(met.place, std::move(first));
  return true;
}

}  // namespace

KeptTerms KeptSince(KeptTerms first, const KeyText& text, Time now) {
  const Time until = text.kept_until ? *text.kept_until : now + KeptFor(first.asked().terms());
  first.kept_until = std::max(until, BookedUntil(first.limit->terms(), text, now));
  return first;
}

Result<Meeting> MeetTerms(ScriptCall& call, std::span<const RespNode> reply, FirstTerms& terms) {
  const ReplyTexts texts(call, reply);
  Meeting meeting;
  for (std::size_t i = 0; i < call.keys().size(); ++i) {
    const bool has_first = call.keys()[i].HasFirst();
    const MetKey met{i, ReadKeyText(has_first ? texts.first(i) : texts.own(i)),
                     has_first && !texts.own(i).empty(), TimeOfReply(reply)};
    if (Meet(call, met, terms, meeting)) continue;
    return Error{"Redis holds something else than a state under a key"};
  }
  return meeting;
}

void WriteNewStates(const ScriptCall& call, std::span<const NewState> states, std::string& out) {
  RespWriter writer(RespVersion::k2, out);
  writer.ArrayHeader(3 + 8 * states.size());
  writer.Bulk("EVALSHA");
  writer.Bulk(NewTermsScript().sha1);
  writer.Bulk(std::to_string(2 * states.size()));
  for (const NewState& each : states) {
    const ScriptKey& key = call.keys()[each.key];
    const bool is_first = each.place == Place::kFirst;
    writer.Bulk(key.name);
    writer.Bulk(NameBeside(key.name, is_first ? each.old_tag : each.tag));
  }
  constexpr std::array<std::string_view, 3> kPlaces = {"first", "beside", "alone"};
  for (const NewState& each : states) {
    writer.Bulk(kPlaces[static_cast<std::size_t>(each.place)]);
    writer.Bulk(each.old_tag);
    writer.Bulk(each.tag);
    writer.Bulk(each.text);
    writer.Bulk(Milliseconds(each.unused_at));
    writer.Bulk(each.first_kept_until == Time{} ? "" : Milliseconds(each.first_kept_until));
  }
}

}  // namespace sluice
