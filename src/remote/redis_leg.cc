#include "remote/redis_leg.h"

#include <algorithm>
#include <memory>
#include <string_view>
#include <vector>

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
  return SendScript();
}

bool RedisLeg::SendScript() {
  uses_stored_ = false;
  return SendCall(script);
}

bool RedisLeg::SendCall(const ScriptCall& call) {
  ++tries_;
  is_converting_ = false;
  sent_at_ = parts_.clock.Now();
  command_.bytes.clear();
  command_.script = DecideScript().text;
  command_.reply_nodes = ScriptReplyNodes(call);
  call.Write(about_, parts_.room, command_.bytes);
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
    // A state that was converted means what it meant before.
    return End(is_unsent || is_converting_ ? RemoteFate::kNotDone : RemoteFate::kUnknown);
  }
  if (answer.error.kind != RedisErrorKind::kNone) {
    const bool has_none = is_converting_ || IsBeforeAnyEffect(answer.error.kind);
    return End(has_none ? RemoteFate::kNotDone : RemoteFate::kUnknown);
  }
  if (is_converting_) return SendAgain();
  TakeReply(answer.reply);
}

void RedisLeg::TakeReply(std::span<const RespNode> reply) {
  decisions_.resize(script.charges());
  const ScriptCall& call = uses_stored_ ? stored_script_ : script;
  const Result<ScriptOutcome> read = ReadScriptReply(call, reply, decisions_, states_);
  if (!read.ok()) {
    parts_.counts.bad_replies.Add(1);
    return End(RemoteFate::kUnknown);
  }
  const ScriptOutcome& outcome = read.value();
  about_ = outcome.now;
  switch (outcome.status) {
    case ScriptStatus::kDecided:
      goes_ahead_ = outcome.goes_ahead;
      decided_at_ = outcome.now;
      if (uses_stored_) ReportUnderOwnTerms();
      return End(RemoteFate::kDecided);
    case ScriptStatus::kOtherTime:
      parts_.counts.other_time.Add(1);
      parts_.ahead = outcome.now - parts_.clock.Now();
      return SendAgain();
    case ScriptStatus::kOtherTerms:
      parts_.counts.new_terms.Add(1);
      return Convert(reply);
  }
}

void RedisLeg::Convert(std::span<const RespNode> reply) {
  Result<std::vector<Replacement>> converted = ConvertStates(script, reply);
  // Nothing is converted where the state has got the terms of the call since it was made under
  // stored ones; else the reply is no answer to this call.
  if (converted.ok() && converted.value().empty() && uses_stored_) return SendAgain();
  if (!converted.ok() || converted.value().empty()) {
    parts_.counts.bad_replies.Add(1);
    return End(RemoteFate::kNotDone);
  }
  std::vector<Replacement>& replacements = converted.value();
  if (EndsUnwritten(reply, replacements)) return End(RemoteFate::kDecided);
  const auto keeps = [](const Replacement& each) { return each.stored != nullptr; };
  if (std::all_of(replacements.begin(), replacements.end(), keeps)) {
    if (!SendUnderStoredTerms(replacements)) End(RemoteFate::kNotDone);
    return;
  }
  std::erase_if(replacements, keeps);
  is_converting_ = true;
  command_.bytes.clear();
  command_.script = ReplaceScript().text;
  command_.reply_nodes = 1;
  WriteReplacements(script, replacements, command_.bytes);
  const bool is_taken = parts_.client.Send(command_, *this) == RedisAnswer::Cause::kNone;
  if (!is_taken) End(RemoteFate::kNotDone);
}

bool RedisLeg::EndsUnwritten(std::span<const RespNode> reply,
                             std::span<const Replacement> replacements) {
  std::vector<std::string_view> texts;
  for (const RespNode& node : reply.last(script.keys().size())) texts.push_back(node.text);
  for (const Replacement& each : replacements) texts[each.key] = each.after;
  const Result<ScriptOutcome> view = DecideOnStates(script, texts, about_, decisions_, states_);
  if (!view.ok()) return false;
  goes_ahead_ = view.value().goes_ahead;
  decided_at_ = about_;
  return !ChangesStates(script, decisions_, goes_ahead_);
}

bool RedisLeg::SendUnderStoredTerms(std::span<const Replacement> replacements) {
  if (tries_ >= kTriesMost) return false;
  stored_.clear();
  stored_script_ = script;
  for (const Replacement& each : replacements) {
    stored_.push_back(each.stored);
    stored_script_.SetLimit(each.key, *each.stored);
  }
  uses_stored_ = true;
  return SendCall(stored_script_);
}

// What is left is reported as the terms of the call see it.
void RedisLeg::ReportUnderOwnTerms() {
  for (std::size_t i = 0; i < states_.size(); ++i) {
    const ScriptKey& own = script.keys()[i];
    if (own.limit == stored_script_.keys()[i].limit) continue;
    KeyState converted(own.limit->terms(), own.stagger);
    converted.TakeOver(states_[i], decided_at_);
    states_[i] = converted;
  }
  for (std::size_t i = 0; i < script.charges(); ++i) {
    const std::size_t key = script.items()[script.ItemOf(i)].key;
    if (script.keys()[key].limit == stored_script_.keys()[key].limit) continue;
    const Decision look = states_[key].Peek(Cost{0}, decided_at_);
    decisions_[i].limit = look.limit;
    decisions_[i].remaining = look.remaining;
    decisions_[i].reset_after = look.reset_after;
  }
}

void RedisLeg::End(RemoteFate fate) {
  fate_ = fate;
  owner_.OnLegEnded(*this);
}

}  // namespace sluice
