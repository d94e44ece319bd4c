#include "remote/redis_leg.h"

#include <variant>

#include "core/until_more.h"
#include "core/window_end.h"
#include "remote/key_text.h"
#include "remote/new_terms.h"
#include "remote/redis_script.h"

namespace sluice {
namespace {

// Of an error that is not known nobody can say how far the script had come. All others come before
// its first write.
bool IsBeforeAnyEffect(RedisErrorKind kind) { return kind != RedisErrorKind::kOther; }

}  // namespace

bool RedisLeg::Send(Time deadline) {
  command_.deadline = deadline;
  command_.slot = slot;
  command_.passes_breaker = passes_breaker;
  about_ = parts_.clock.Now() + parts_.ahead;
  tries_ = 0;
  was_dropped_ = false;
  fate_ = RemoteFate::kNotDone;
  FindFirstTerms();
  return SendScript();
}

void RedisLeg::FindFirstTerms() {
  if (parts_.first_terms.IsEmpty()) return;
  for (std::size_t i = 0; i < script.keys().size(); ++i) {
    script.SetFirst(i, parts_.first_terms.Find(*script.keys()[i].limit, about_));
  }
}

void RedisLeg::NoteFirstTerms(std::span<const RespNode> reply) {
  if (script.firsts() == 0) return;
  const ReplyTexts texts(script, reply);
  for (std::size_t i = 0; i < script.keys().size(); ++i) {
    const ScriptKey& key = script.keys()[i];
    if (!key.HasFirst()) continue;
    const KeyText text = ReadKeyText(texts.first(i));
    if (text.tag.empty()) continue;
    const KeptTerms first = KeptSince(key.first, text, decided_at_);
    parts_.first_terms.Note(*key.limit, first, decided_at_);
  }
}

bool RedisLeg::SendScript() {
  ++tries_;
  is_meeting_ = false;
  sent_at_ = parts_.clock.Now();
  command_.bytes.clear();
  command_.script = DecideScript().text;
  command_.reply_nodes = ScriptReplyNodes(script);
  script.Write(about_, parts_.room, command_.bytes);
  return parts_.client.Send(command_, *this) == RedisAnswer::Cause::kNone;
}

void RedisLeg::SendAgain() {
  if (tries_ >= kTriesMost || !SendScript()) End(RemoteFate::kNotDone);
}

void RedisLeg::OnOverdue(RedisCommand& /*command*/) { owner_.OnLegOverdue(); }

void RedisLeg::OnAnswer(RedisCommand& /*command*/, const RedisAnswer& answer) {
  if (answer.is_late) command_.deadline = parts_.clock.Now() + kPatience;
  if (answer.fate != RedisAnswer::Fate::kReplied) {
    const bool is_unsent = answer.fate == RedisAnswer::Fate::kNotSent;
    was_dropped_ = is_unsent && answer.cause == RedisAnswer::Cause::kOverdue;
    // What a state says under new terms is what it said before.
    return End(is_unsent || is_meeting_ ? RemoteFate::kNotDone : RemoteFate::kUnknown);
  }
  if (answer.error.kind != RedisErrorKind::kNone) {
    const bool has_none = is_meeting_ || IsBeforeAnyEffect(answer.error.kind);
    return End(has_none ? RemoteFate::kNotDone : RemoteFate::kUnknown);
  }
  if (is_meeting_) return SendAgain();
  TakeReply(answer.reply);
}

void RedisLeg::TakeReply(std::span<const RespNode> reply) {
  decisions_.resize(script.charges());
  const Result<ScriptOutcome> read = ReadScriptReply(script, reply, decisions_, states_);
  if (!read.ok()) {
    parts_.counts.bad_replies.Add(1);
    return End(RemoteFate::kUnknown);
  }
  const ScriptOutcome& outcome = read.value();
  about_ = outcome.now;
  parts_.ahead = outcome.now - parts_.clock.Now();
  switch (outcome.status) {
    case ScriptStatus::kDecided:
      goes_ahead_ = outcome.goes_ahead;
      decided_at_ = outcome.now;
      NoteFirstTerms(reply);
      return End(RemoteFate::kDecided);
    case ScriptStatus::kOtherTime:
      parts_.counts.other_time.Add(1);
      return SendAgain();
    case ScriptStatus::kOtherTerms:
      parts_.counts.new_terms.Add(1);
      return Meet(reply);
  }
}

Nanos RedisLeg::UntilMoreOf(std::size_t charge) {
  const ScriptItem& item = script.items()[script.ItemOf(charge)];
  const Terms& terms = script.keys()[item.key].limit->terms();
  const Decision& decision = decisions_[charge];
  // The script tells no more of permits than their items need.
  const bool is_partly_told = std::holds_alternative<Concurrency>(terms);
  const bool grows = decision.limit != kNoUnits && decision.remaining < decision.limit;
  const bool has_first = script.keys()[item.key].HasFirst();
  if (TellsMore(terms) || is_partly_told || has_first || !grows) return Nanos{0};
  const Cost next{decision.remaining + 1};
  return UntilMoreBy(terms, states_.keys[item.key].Peek(next, decided_at_));
}

ReturnBound RedisLeg::BoundOf(std::size_t charge) const {
  if (has_firsts()) return states_.bounds[charge];
  const ScriptItem& item = script.items()[script.ItemOf(charge)];
  const Limit& limit = script.keys()[item.key].limit->limit();
  return {ReturnableUntil(limit, decisions_[charge], decided_at_)};
}

void RedisLeg::Meet(std::span<const RespNode> reply) {
  const Result<Meeting> meeting = MeetTerms(script, reply, parts_.first_terms);
  // With nothing new the reply is no answer to this call: the keys have met its terms.
  if (!meeting.ok() || !meeting.value().is_new) {
    parts_.counts.bad_replies.Add(1);
    return End(RemoteFate::kNotDone);
  }
  if (meeting.value().states.empty()) return SendAgain();
  is_meeting_ = true;
  command_.bytes.clear();
  command_.script = NewTermsScript().text;
  command_.reply_nodes = 1;
  WriteNewStates(script, meeting.value().states, command_.bytes);
  const bool is_taken = parts_.client.Send(command_, *this) == RedisAnswer::Cause::kNone;
  if (!is_taken) End(RemoteFate::kNotDone);
}

void RedisLeg::End(RemoteFate fate) {
  fate_ = fate;
  owner_.OnLegEnded(*this);
}

}  // namespace sluice
