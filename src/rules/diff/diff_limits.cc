#include "rules/diff/diff_limits.h"

#include <algorithm>

#include "base/flow_text.h"
#include "base/text.h"
#include "core/limit/format_limit.h"
#include "core/limit/limit_defaults.h"
#include "rules/model/describe_rule.h"

namespace sluice {
namespace {

std::string TextAt(const Value& limit, std::string_view key) {
  const Value* found = limit.Find(key);
  return found == nullptr ? std::string(kNoWords) : FlowText(*found);
}

bool IsCalendar(const LimitSpec& spec) { return spec.window == WindowKind::kCalendar; }

// Returns whether a key has the same meaning in both limits although its texts differ.
bool MeansTheSame(std::string_view key, const LimitSpec& before, const LimitSpec& after) {
  // A burst that is derived from the rate is reported as part of the rate.
  if (key == "burst") return !before.burst && !after.burst;
  // "1/h" and "1/60m" differ only in calendar windows.
  if (key != "rate" || IsCalendar(before) || IsCalendar(after)) return false;
  return before.rate->count == after.rate->count && before.rate->period == after.rate->period;
}

StateEffect EffectOn(Algorithm algorithm, KeyChange keys) {
  if (keys == KeyChange::kOther) return StateEffect::kAfresh;
  if (keys == KeyChange::kPartly) return StateEffect::kPartly;
  if (algorithm == Algorithm::kPacer) return StateEffect::kBookedStays;
  if (algorithm == Algorithm::kConcurrency) return StateEffect::kPermitsStay;
  return StateEffect::kCarryOver;
}

const NamedLimit* Find(const std::vector<NamedLimit>& limits, std::string_view name) {
  const auto found = std::ranges::find(limits, name, &NamedLimit::name);
  return found == limits.end() ? nullptr : &*found;
}

std::string LabelOf(const NamedLimit& limit) { return Concat("limit ", Quoted(limit.name), " "); }

}  // namespace

StateEffect EffectWhere(InForce in_force, StateEffect effect) {
  if (effect == StateEffect::kNone || in_force == InForce::kBoth) return effect;
  if (in_force == InForce::kBefore) return StateEffect::kUnused;
  // A limit that is removed had no states in use before either.
  const bool starts = in_force == InForce::kAfter && effect != StateEffect::kUnused;
  return starts ? StateEffect::kAfresh : StateEffect::kNone;
}

std::optional<LimitChange> DiffLimit(const LimitSpec& before, const LimitSpec& after,
                                     KeyChange keys) {
  if (before.algorithm != after.algorithm) {
    return LimitChange{
        Concat(LimitTitle(Value::MakeMap(LimitEntries(before))), " -> ",
               LimitTitle(Value::MakeMap(LimitEntries(after))), ", another algorithm"),
        StateEffect::kAfresh};
  }
  const Value old_limit = Value::MakeMap(LimitEntries(WithDefaults(before)));
  const Value new_limit = Value::MakeMap(LimitEntries(WithDefaults(after)));
  std::vector<std::string_view> key_names;
  for (const Value* limit : {&old_limit, &new_limit}) {
    for (const Value::Entry& entry : *limit->AsMap()) {
      if (std::ranges::find(key_names, entry.key) == key_names.end()) {
        key_names.push_back(entry.key);
      }
    }
  }
  std::string words;
  for (const std::string_view key : key_names) {
    const std::string old_text = TextAt(old_limit, key);
    const std::string new_text = TextAt(new_limit, key);
    if (old_text == new_text || MeansTheSame(key, before, after)) continue;
    words += Concat(words.empty() ? "" : ", ", key == "rate" ? "" : Concat(key, " "), old_text,
                    " -> ", new_text);
  }
  if (words.empty()) return std::nullopt;
  return LimitChange{words, EffectOn(after.algorithm, keys)};
}

void DiffLimits(const std::vector<NamedLimit>& before, const std::vector<NamedLimit>& after,
                StateFate outcome, SubjectChanges& changes) {
  for (const NamedLimit& limit : before) {
    if (Find(after, limit.name) != nullptr) continue;
    changes.Changed(Concat(LabelOf(limit), LimitTitle(limit.limit.spec), " removed"),
                    EffectWhere(outcome.in_force, StateEffect::kUnused));
  }
  for (const NamedLimit& limit : after) {
    const NamedLimit* const was = Find(before, limit.name);
    if (was == nullptr) {
      // A limit that was added has no states of its own yet.
      const bool charged =
          outcome.in_force == InForce::kBoth || outcome.in_force == InForce::kAfter;
      changes.Changed(Concat(LabelOf(limit), LimitTitle(limit.limit.spec), " added"),
                      charged ? StateEffect::kAfresh : StateEffect::kNone);
      continue;
    }
    if (const auto change = DiffLimit(was->limit.spec, limit.limit.spec, outcome.keys)) {
      changes.Changed(Concat(LabelOf(limit), change->words),
                      EffectWhere(outcome.in_force, change->effect));
    }
  }
}

}  // namespace sluice
