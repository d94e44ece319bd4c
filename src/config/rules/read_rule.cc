#include "config/rules/read_rule.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "base/decimal.h"
#include "base/text.h"
#include "config/rules/read_limits.h"
#include "config/rules/read_match.h"
#include "core/limit/rate.h"
#include "rules/model/rule_words.h"

namespace sluice {
namespace {

using Entry = Value::Entry;

// The keys that allow and deny rules cannot have, because they charge nothing.
constexpr std::array<std::string_view, 10> kKeysOfLimitRules = {
    "limit",           "plan",     "per",         "cost",       "debt",
    "enforce_percent", "replaces", "consistency", "deny_cache", "on_store_failure"};
// The keys that allow rules cannot have either, because they refuse nothing.
constexpr std::array<std::string_view, 2> kKeysOfRefusals = {"status", "message"};

constexpr int kForbidden = 403;
constexpr std::array<std::string_view, 3> kStatuses = {"403", "429", "503"};

// A rule while it is being read.
struct Draft {
  RuleSpec rule;
  bool action_is_known = true;
};

void ReadRuleName(const Entry& entry, ConfigReader& reading, Draft& draft) {
  if (auto name = ReadName(entry, reading)) draft.rule.name = *std::move(name);
  draft.rule.origin = reading.OriginOf(entry.value.At());
}

void ReadRuleMatch(const Entry& entry, ConfigReader& reading, Draft& draft) {
  draft.rule.match = ReadMatch(entry, reading);
}

// Reads an attribute of a key part, either a single one or one alternative of a list.
bool ReadKeyAttribute(const Value& value, ConfigReader& reading, KeyPartSpec& part) {
  const std::string* name = value.AsString();
  if (name == nullptr) {
    reading.Error(value.At(),
                  Concat("an attribute must be named by a string, found ", value.Description()));
    return false;
  }
  if (!CheckAttribute(*name, value.At(), reading)) return false;
  part.attributes.push_back(*name);
  part.origins.push_back(reading.OriginOf(value.At()));
  return true;
}

// A key stores in seven bits which alternative it was made from (KeyWriter).
constexpr std::size_t kMaxChoices = 64;

void ReadKeyPart(const Value& value, ConfigReader& reading, Draft& draft) {
  KeyPartSpec part{{}, reading.OriginOf(value.At())};
  const Value::List* choices = value.AsList();
  if (choices == nullptr) {
    if (ReadKeyAttribute(value, reading, part)) draft.rule.per.push_back(std::move(part));
    return;
  }
  if (choices->empty()) {
    reading.Error(value.At(), "a list of attributes to choose from must not be empty");
    return;
  }
  if (choices->size() > kMaxChoices) {
    reading.Error(value.At(), Concat("a list to choose from must have at most ", kMaxChoices,
                                     " attributes, found ", choices->size()));
    return;
  }
  bool good = true;
  for (const Value& choice : *choices) good = ReadKeyAttribute(choice, reading, part) && good;
  if (good) draft.rule.per.push_back(std::move(part));
}

void ReadPer(const Entry& entry, ConfigReader& reading, Draft& draft) {
  if (const Value::List* list = entry.value.AsList()) {
    for (const Value& item : *list) ReadKeyPart(item, reading, draft);
  } else if (entry.value.AsString() != nullptr) {
    ReadKeyPart(entry.value, reading, draft);
  } else {
    reading.Error(entry.value.At(), MustBe("a list of attributes", entry));
  }
}

void ReadLimit(const Entry& entry, ConfigReader& reading, Draft& draft) {
  draft.rule.limits = ReadLimits(entry.value, reading);
}

void ReadPlanBy(const Entry& entry, ConfigReader& reading, PlanChoiceSpec& plan) {
  std::optional<std::string> name = ReadString(entry, reading);
  if (!name || !CheckAttribute(*name, entry.value.At(), reading)) return;
  plan.by = *std::move(name);
  plan.by_origin = reading.OriginOf(entry.value.At());
}

void ReadPlanDefault(const Entry& entry, ConfigReader& reading, PlanChoiceSpec& plan) {
  plan.otherwise = ReadName(entry, reading);
  plan.origin = reading.OriginOf(entry.value.At());
}

constexpr std::array kPlanFields = {
    Field<PlanChoiceSpec>{"by", ReadPlanBy},
    Field<PlanChoiceSpec>{"default", ReadPlanDefault},
};

void ReadPlan(const Entry& entry, ConfigReader& reading, Draft& draft) {
  const Value::Map* map = ReadMap("'plan'", entry.value, reading);
  if (map == nullptr) return;
  PlanChoiceSpec plan;
  plan.origin = reading.OriginOf(entry.value.At());
  ReadFields<PlanChoiceSpec>(*map, kPlanFields, reading, plan);
  if (Lacks(*map, "by")) {
    reading.Error(entry.value.At(), "'plan' needs a 'by', the attribute that names the plan");
  }
  draft.rule.plan = std::move(plan);
}

void ReadAction(const Entry& entry, ConfigReader& reading, Draft& draft) {
  const auto action = ReadWord<RuleAction>(kActionWords, entry, reading);
  draft.action_is_known = action.has_value();
  if (action) draft.rule.action = *action;
}

void ReadCost(const Entry& entry, ConfigReader& reading, Draft& draft) {
  if (const std::string* name = entry.value.AsString()) {
    if (CheckAttribute(*name, entry.value.At(), reading)) draft.rule.cost = *name;
    return;
  }
  if (entry.value.AsNumber() == nullptr) {
    reading.Error(entry.value.At(), MustBe("a whole number or an attribute that holds one", entry));
    return;
  }
  if (const auto cost = ReadWholeIn({0, kMaxUnits}, entry, reading)) draft.rule.cost = *cost;
}

void ReadDebt(const Entry& entry, ConfigReader& reading, Draft& draft) {
  draft.rule.debt = ReadBoolean(entry, reading).value_or(false);
}

void ReadMode(const Entry& entry, ConfigReader& reading, Draft& draft) {
  if (const auto mode = ReadWord<RuleMode>(kModeWords, entry, reading)) draft.rule.mode = *mode;
}

// Returns a percentage in millionths of the whole, or nothing if it is invalid.
std::optional<std::uint32_t> MillionthsOf(std::string_view percent) {
  constexpr unsigned kMaxPlaces = 4;
  const auto number = ReadDecimal(percent);
  const auto* decimal = std::get_if<Decimal>(&number);
  if (decimal == nullptr || decimal->places > kMaxPlaces) return std::nullopt;
  const auto missing = static_cast<std::uint64_t>(PowerOfTen(kMaxPlaces - decimal->places));
  if (decimal->scaled > Share::kWhole / missing) return std::nullopt;
  return static_cast<std::uint32_t>(decimal->scaled * missing);
}

void ReadEnforcePercent(const Entry& entry, ConfigReader& reading, Draft& draft) {
  const std::string* text = entry.value.AsNumber();
  const auto millionths = text == nullptr ? std::nullopt : MillionthsOf(*text);
  if (!millionths) {
    reading.Error(entry.value.At(), MustBe("a number from 0 to 100 of at most 4 decimals", entry));
    return;
  }
  draft.rule.enforce.millionths = *millionths;
}

void ReadStatus(const Entry& entry, ConfigReader& reading, Draft& draft) {
  const std::string* text = entry.value.AsNumber();
  if (text == nullptr || std::ranges::find(kStatuses, *text) == kStatuses.end()) {
    reading.Error(entry.value.At(), MustBe("429 or 503, or 403 for action: deny", entry));
    return;
  }
  const auto status = ReadWhole(*text);
  draft.rule.status = static_cast<int>(*std::get_if<std::int64_t>(&status));
}

void ReadMessage(const Entry& entry, ConfigReader& reading, Draft& draft) {
  if (auto message = ReadString(entry, reading)) draft.rule.message = *std::move(message);
}

void ReadConsistency(const Entry& entry, ConfigReader& reading, Draft& draft) {
  const auto read = ReadWord<Consistency>(kConsistencyWords, entry, reading);
  if (read) draft.rule.consistency = *read;
}

void ReadDenyCache(const Entry& entry, ConfigReader& reading, Draft& draft) {
  draft.rule.deny_cache = ReadBoolean(entry, reading).value_or(false);
}

void ReadOnStoreFailure(const Entry& entry, ConfigReader& reading, Draft& draft) {
  const auto read = ReadWord<OnStoreFailure>(kOnStoreFailureWords, entry, reading);
  if (read) draft.rule.on_store_failure = *read;
}

void ReadReplaces(const Entry& entry, ConfigReader& reading, Draft& draft) {
  const Value::List* list = entry.value.AsList();
  const std::span<const Value> names =
      list != nullptr ? std::span<const Value>(*list) : std::span<const Value>(&entry.value, 1);
  for (const Value& name : names) {
    const std::string* text = name.AsString();
    if (text == nullptr) {
      reading.Error(name.At(),
                    Concat("'replaces' must be the name of a rule or a list of names, found ",
                           name.Description()));
    } else if (CheckName(*text, name.At(), reading)) {
      draft.rule.replaces.push_back({*text, reading.OriginOf(name.At())});
    }
  }
}

constexpr std::array kRuleFields = {
    Field<Draft>{"name", ReadRuleName},
    Field<Draft>{"match", ReadRuleMatch},
    Field<Draft>{"per", ReadPer},
    Field<Draft>{"limit", ReadLimit},
    Field<Draft>{"plan", ReadPlan},
    Field<Draft>{"action", ReadAction},
    Field<Draft>{"cost", ReadCost},
    Field<Draft>{"debt", ReadDebt},
    Field<Draft>{"mode", ReadMode},
    Field<Draft>{"enforce_percent", ReadEnforcePercent},
    Field<Draft>{"status", ReadStatus},
    Field<Draft>{"message", ReadMessage},
    Field<Draft>{"consistency", ReadConsistency},
    Field<Draft>{"deny_cache", ReadDenyCache},
    Field<Draft>{"on_store_failure", ReadOnStoreFailure},
    Field<Draft>{"replaces", ReadReplaces},
};

void CheckLimitRule(const Value& value, ConfigReader& reading) {
  const Value::Map& map = *value.AsMap();
  const auto is_limit_or_plan = [](const Entry& entry) {
    return entry.key == "limit" || entry.key == "plan";
  };
  if (Lacks(map, "limit") && Lacks(map, "plan")) {
    reading.Error(value.At(), "a rule needs a 'limit' such as 100/m, or a 'plan'");
  }
  const auto first = std::ranges::find_if(map, is_limit_or_plan);
  if (first == map.end()) return;
  const auto second = std::find_if(first + 1, map.end(), is_limit_or_plan);
  if (second == map.end()) return;
  reading.Error(second->key_at,
                Concat(Quoted(second->key), " cannot be used with ", Quoted(first->key)));
}

void CheckAllowOrDeny(const Value& value, RuleAction action, ConfigReader& reading) {
  const auto is_in = [](std::span<const std::string_view> keys, std::string_view key) {
    return std::ranges::find(keys, key) != keys.end();
  };
  for (const Entry& entry : *value.AsMap()) {
    if (is_in(kKeysOfLimitRules, entry.key)) {
      reading.Error(entry.key_at,
                    Concat(Quoted(entry.key), " belongs to action: limit, not ", WordOf(action)));
    } else if (action == RuleAction::kAllow && is_in(kKeysOfRefusals, entry.key)) {
      reading.Error(entry.key_at,
                    Concat(Quoted(entry.key), " belongs to action: limit or deny, not allow"));
    }
  }
}

// Checks what depends on the action, which may be the last key of the rule.
void CheckAction(const Value& value, const RuleSpec& rule, ConfigReader& reading) {
  if (rule.action == RuleAction::kLimit) {
    CheckLimitRule(value, reading);
  } else {
    CheckAllowOrDeny(value, rule.action, reading);
  }
  const Value* const deny_cache = value.Find("deny_cache");
  if (deny_cache != nullptr && rule.consistency != Consistency::kExact) {
    reading.Error(deny_cache->At(), "'deny_cache' belongs to consistency: exact");
  }
  if (rule.status == kForbidden && rule.action == RuleAction::kLimit) {
    reading.Error(value.Find("status")->At(),
                  "a 'status' of 403 needs action: deny; expected 429 or 503");
  }
}

}  // namespace

std::optional<RuleSpec> ReadRule(const Value& value, ConfigReader& reading) {
  const Value::Map* map = ReadMap("a rule", value, reading);
  if (map == nullptr) return std::nullopt;
  const std::size_t errors_before = reading.ErrorCount();
  Draft draft;
  ReadFields<Draft>(*map, kRuleFields, reading, draft);
  draft.rule.written = reading.KeysOf(value);
  if (draft.action_is_known) CheckAction(value, draft.rule, reading);
  if (Lacks(*map, "name")) reading.Error(value.At(), "a rule needs a 'name'");
  if (draft.rule.name.empty()) return std::nullopt;
  draft.rule.faulty = reading.ErrorCount() > errors_before;
  return std::move(draft.rule);
}

}  // namespace sluice
