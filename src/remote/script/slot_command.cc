#include "remote/script/slot_command.h"

#include <variant>

#include "core/algorithm/until_more.h"
#include "core/algorithm/window_end.h"
#include "remote/script/key_text.h"
#include "remote/script/new_terms.h"
#include "remote/script/redis_scripts.h"

namespace sluice {
namespace {

// After an unknown error it is unclear how far the script had come. All other errors occur before
// its first write.
bool IsBeforeAnyEffect(RedisErrorKind kind) { return kind != RedisErrorKind::kOther; }

}  // namespace

bool SlotCommand::Send(Time deadline) {
  command_.deadline = deadline;
  command_.slot = slot;
  command_.passes_breaker = passes_breaker;
  about_ = parts_.clock.Now() + parts_.ahead;
  tries_ = 0;
  was_dropped_ = false;
  outcome_ = RemoteOutcome::kNotApplied;
  FindFirstTerms();
  return SendScript();
}

void SlotCommand::FindFirstTerms() {
  if (parts_.first_terms.IsEmpty()) return;
  for (std::size_t i = 0; i < script.keys().size(); ++i) {
    script.SetFirst(i, parts_.first_terms.Find(*script.keys()[i].limit, about_));
  }
}

void SlotCommand::NoteFirstTerms(std::span<const RespNode> reply) {
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

bool SlotCommand::SendScript() {
  ++tries_;
  is_meeting_ = false;
  sent_at_ = parts_.clock.Now();
  command_.bytes.clear();
  command_.script = DecideScript().text;
  command_.reply_nodes = ScriptReplyNodes(script);
  script.Write(about_, parts_.room, command_.bytes);
  return parts_.client.Send(command_, *this) == RedisAnswer::Cause::kNone;
}

void SlotCommand::SendAgain() {
  if (tries_ >= kMaxTries || !SendScript()) End(RemoteOutcome::kNotApplied);
}

void SlotCommand::OnOverdue(RedisCommand& /*command*/) { owner_.OnLegOverdue(); }

void SlotCommand::OnAnswer(RedisCommand& /*command*/, const RedisAnswer& answer) {
  if (answer.is_late) command_.deadline = parts_.clock.Now() + kPatience;
  if (answer.outcome != RedisAnswer::Fate::kReplied) {
    const bool is_unsent = answer.outcome == RedisAnswer::Fate::kNotSent;
    was_dropped_ = is_unsent && answer.cause == RedisAnswer::Cause::kOverdue;
    // Storing a state for new terms does not change its meaning.
    return End(is_unsent || is_meeting_ ? RemoteOutcome::kNotApplied
                                        : RemoteOutcome::kIndeterminate);
  }
  if (answer.error.kind != RedisErrorKind::kNone) {
    const bool has_none = is_meeting_ || IsBeforeAnyEffect(answer.error.kind);
    return End(has_none ? RemoteOutcome::kNotApplied : RemoteOutcome::kIndeterminate);
  }
  if (is_meeting_) return SendAgain();
  TakeReply(answer.reply);
}

void SlotCommand::TakeReply(std::span<const RespNode> reply) {
  decisions_.resize(script.charges());
  const Result<ScriptOutcome> read = ReadScriptReply(script, reply, decisions_, states_);
  if (!read.ok()) {
    parts_.counts.bad_replies.Add(1);
    return End(RemoteOutcome::kIndeterminate);
  }
  const ScriptOutcome& outcome = read.value();
  about_ = outcome.now;
  parts_.ahead = outcome.now - parts_.clock.Now();
  switch (outcome.status) {
    case ScriptStatus::kDecided:
      goes_ahead_ = outcome.goes_ahead;
      decided_at_ = outcome.now;
      NoteFirstTerms(reply);
      return End(RemoteOutcome::kDecided);
    case ScriptStatus::kOtherTime:
      parts_.counts.other_time.Add(1);
      return SendAgain();
    case ScriptStatus::kOtherTerms:
      parts_.counts.new_terms.Add(1);
      return Meet(reply);
  }
}

Nanos SlotCommand::UntilMoreOf(std::size_t charge) {
  const ScriptItem& item = script.items()[script.ItemOf(charge)];
  const Terms& terms = script.keys()[item.key].limit->terms();
  const Decision& decision = decisions_[charge];
  // For permits the script returns only what the items need.
  const bool is_partly_told = std::holds_alternative<Concurrency>(terms);
  const bool grows = decision.limit != kNoUnits && decision.remaining < decision.limit;
  const bool has_first = script.keys()[item.key].HasFirst();
  if (TellsMore(terms) || is_partly_told || has_first || !grows) return Nanos{0};
  const Cost next{decision.remaining + 1};
  return UntilMoreBy(terms, states_.keys[item.key].Peek(next, decided_at_));
}

ReturnBound SlotCommand::BoundOf(std::size_t charge) const {
  if (has_firsts()) return states_.bounds[charge];
  const ScriptItem& item = script.items()[script.ItemOf(charge)];
  const Limit& limit = script.keys()[item.key].limit->limit();
  return {ReturnableUntil(limit, decisions_[charge], decided_at_)};
}

void SlotCommand::Meet(std::span<const RespNode> reply) {
  const Result<Meeting> meeting = MeetTerms(script, reply, parts_.first_terms);
  // If nothing is new, the keys know the terms of the call, so the reply is not an answer to it.
  if (!meeting.ok() || !meeting.value().is_new) {
    parts_.counts.bad_replies.Add(1);
    return End(RemoteOutcome::kNotApplied);
  }
  if (meeting.value().states.empty()) return SendAgain();
  is_meeting_ = true;
  command_.bytes.clear();
  command_.script = NewTermsScript().text;
  command_.reply_nodes = 1;
  WriteNewStates(script, meeting.value().states, command_.bytes);
  const bool is_taken = parts_.client.Send(command_, *this) == RedisAnswer::Cause::kNone;
  if (!is_taken) End(RemoteOutcome::kNotApplied);
}

void SlotCommand::End(RemoteOutcome outcome) {
  outcome_ = outcome;
  owner_.OnLegEnded(*this);
}

}  // namespace sluice
