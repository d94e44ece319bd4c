#include "rules/diff/diff_descriptors.h"

#include <algorithm>
#include <map>
#include <optional>
#include <span>
#include <string_view>
#include <utility>

#include "base/text.h"
#include "core/limit/format_limit.h"
#include "rules/diff/diff_limits.h"
#include "rules/diff/diff_order.h"
#include "rules/diff/diff_rule.h"
#include "rules/model/describe_rule.h"
#include "rules/model/glob.h"

namespace sluice {
namespace {

using Siblings = std::vector<DescriptorSpec>;

// Key and value of a descriptor; an empty value means none.
using Name = std::pair<std::string_view, std::string_view>;

Name NameOf(const DescriptorSpec& spec) {
  return {spec.key, spec.value ? std::string_view(*spec.value) : std::string_view()};
}

std::map<Name, const DescriptorSpec*> ByName(const Siblings& siblings) {
  std::map<Name, const DescriptorSpec*> by_name;
  for (const DescriptorSpec& each : siblings) by_name.emplace(NameOf(each), &each);
  return by_name;
}

// The position of the walk within the tree.
struct Place {
  std::string path;  // "message_type=marketing > ", or empty
  KeyChange keys = KeyChange::kSame;
};

std::string RateLimitText(const DescriptorSpec& spec) {
  if (spec.limit) return LimitTitle(spec.limit->spec);
  return std::string(spec.unlimited ? "unlimited" : kNoWords);
}

bool HasLimits(const DescriptorSpec& spec) {
  return spec.limit.has_value() || std::ranges::any_of(spec.descriptors, HasLimits);
}

StateEffect IfLimits(const DescriptorSpec& spec, StateEffect effect) {
  return HasLimits(spec) ? effect : StateEffect::kNone;
}

// Walks both trees in parallel.
class DescriptorDiff {
 public:
  DescriptorDiff(std::string_view domain, std::vector<RuleChange>& changes)
      : domain_(domain), changes_(changes) {}

  void Run(const Siblings& before, const Siblings& after, const Place& place) {
    const auto old_by_name = ByName(before);
    const auto new_by_name = ByName(after);
    for (const DescriptorSpec& spec : before) {
      if (new_by_name.contains(NameOf(spec))) continue;
      ChangesOf(spec, place).Removed(IfLimits(spec, StateEffect::kUnused));
    }
    for (const DescriptorSpec& spec : after) {
      const auto was = old_by_name.find(NameOf(spec));
      if (was == old_by_name.end()) {
        ChangesOf(spec, place).Added(IfLimits(spec, StateEffect::kAfresh));
      } else {
        RunOn(*was->second, spec, place);
      }
    }
    FindMovedPatterns(before, after, place);
  }

 private:
  SubjectChanges ChangesOf(const DescriptorSpec& spec, const Place& place) {
    return ChangesOf(place.path + StepOf(spec));
  }
  SubjectChanges ChangesOf(const std::string& path) {
    return {{domain_, RuleSubject::kDescriptor, path, Concat("descriptor ", Printable(path))},
            changes_};
  }

  void RunOn(const DescriptorSpec& before, const DescriptorSpec& after, const Place& place) {
    SubjectChanges changes = ChangesOf(after, place);
    // share_threshold decides whether the value is part of the key, both here and below.
    const bool other_key = before.share_threshold != after.share_threshold;
    const KeyChange keys = other_key ? KeyChange::kOther : place.keys;
    DiffRateLimit(before, after, keys, changes);
    DiffValues(DescribeDescriptor(before), DescribeDescriptor(after),
               IfLimits(after, StateEffect::kAfresh), changes);
    const auto settings = [](const DescriptorSpec& spec) {
      std::vector<DescribedValue> values = DescribeRateLimit(spec);
      // DiffRateLimit has compared the other values: the limit and `unlimited`.
      std::erase_if(values, [](const DescribedValue& value) {
        return value.key != "name" && value.key != "replaces";
      });
      return values;
    };
    DiffValues(settings(before), settings(after), StateEffect::kNone, changes);
    Run(before.descriptors, after.descriptors, {Concat(place.path, StepOf(after), " > "), keys});
  }

  static void DiffRateLimit(const DescriptorSpec& before, const DescriptorSpec& after,
                            KeyChange keys, SubjectChanges& changes) {
    if (before.limit && after.limit) {
      if (const auto change = DiffLimit(before.limit->spec, after.limit->spec, keys)) {
        changes.Changed(Concat("limit ", change->words), change->effect);
      }
      return;
    }
    if (!before.limit && !after.limit && before.unlimited == after.unlimited) return;
    StateEffect effect = StateEffect::kNone;
    if (after.limit) effect = StateEffect::kAfresh;
    if (before.limit) effect = StateEffect::kUnused;
    changes.Changed(Concat("limit ", RateLimitText(before), " -> ", RateLimitText(after)), effect);
  }

  // Compares values that are listed under the same keys in the same order.
  static void DiffValues(const std::vector<DescribedValue>& before,
                         const std::vector<DescribedValue>& after, StateEffect of_another_key,
                         SubjectChanges& changes) {
    for (std::size_t i = 0; i < after.size(); ++i) {
      if (MeanTheSame(before[i], after[i])) continue;
      const bool other_key = after[i].key == "share_threshold";
      changes.Changed(Concat(after[i].key, " ", WordsOf(before[i]), " -> ", WordsOf(after[i]),
                             other_key ? ", another key here and below" : ""),
                      other_key ? of_another_key : StateEffect::kNone);
    }
  }

  // Patterns of one key are tried in file order; the order of other descriptors does not matter.
  void FindMovedPatterns(const Siblings& before, const Siblings& after, const Place& place) {
    std::map<std::string_view,
             std::pair<std::vector<std::string_view>, std::vector<std::string_view>>>
        patterns;
    for (const DescriptorSpec& spec : before) {
      if (Glob::IsGlob(spec.value.value_or(""))) patterns[spec.key].first.push_back(*spec.value);
    }
    for (const DescriptorSpec& spec : after) {
      if (Glob::IsGlob(spec.value.value_or(""))) patterns[spec.key].second.push_back(*spec.value);
    }
    for (const auto& [key, orders] : patterns) {
      for (const Move& move : FindMoves(orders.first, orders.second)) {
        ChangesOf(Concat(place.path, key, "=", move.name))
            .Moved(Concat(move.where == Move::Where::kBefore ? "moved before " : "moved after ",
                          Printable(Concat(key, "=", move.neighbor))));
      }
    }
  }

  std::string domain_;
  std::vector<RuleChange>& changes_;
};

}  // namespace

std::string StepOf(const DescriptorSpec& descriptor) {
  if (!descriptor.value) return descriptor.key;
  return Concat(descriptor.key, "=", *descriptor.value);
}

void DiffDescriptors(const DomainSpec& before, const DomainSpec& after,
                     std::vector<RuleChange>& changes) {
  DescriptorDiff(after.name, changes).Run(before.descriptors, after.descriptors, {});
}

}  // namespace sluice
