#include "frontend/grpc/rls_metadata.h"

#include <algorithm>
#include <charconv>
#include <map>
#include <memory>
#include <system_error>
#include <utility>
#include <vector>

#include "base/text.h"
#include "base/value.h"

namespace sluice {
namespace {

using Object = StructValue::Object;

StructValue Text(std::string_view text) { return StructValue(text); }

// Returns what the descriptor adds to the reply's metadata; null unless its node of the
// `descriptors` applies and has metadata.
const Value::Map* MetadataOf(const SetVerdict& set, const Verdict& verdict) {
  if (set.kind != VerdictKind::kAllowed || set.node == nullptr) return nullptr;
  const DescriptorSpec& spec = *set.node->spec;
  if (!spec.metadata) return nullptr;
  // A node whose limit was replaced by another descriptor has no decision.
  const auto own = verdict.decisions().subspan(set.first, set.count);
  const bool applies = spec.unlimited || std::ranges::any_of(own, [](const RuleDecision& each) {
                         return each.rule == nullptr;
                       });
  return applies ? spec.metadata->AsMap() : nullptr;
}

StructValue ValueOf(const Value& value) {
  if (const bool* const truth = value.AsBoolean()) return StructValue(*truth);
  if (const std::string* const text = value.AsString()) return Text(*text);
  if (const std::string* const number = value.AsNumber()) {
    double read = 0;
    const char* const end = number->data() + number->size();
    const auto [stop, error] = std::from_chars(number->data(), end, read);
    if (error != std::errc{} || stop != end) return Text(*number);
    return StructValue(read);
  }
  if (const Value::List* const list = value.AsList()) {
    StructValue::List items;
    for (const Value& each : *list) items.push_back(ValueOf(each));
    return StructValue(std::move(items));
  }
  if (const Value::Map* const map = value.AsMap()) {
    Object members;
    for (const Value::Entry& entry : *map) members.push_back({entry.key, ValueOf(entry.value)});
    return StructValue(std::move(members));
  }
  return {};
}

// The union of several mappings. Points into them.
class MergedMap {
 public:
  void Add(const Value::Map& map) {
    for (const Value::Entry& entry : map) {
      const auto [place, is_new] = members_.try_emplace(entry.key);
      Member& member = place->second;
      const Value::Map* const nested = entry.value.AsMap();
      if (nested == nullptr) {
        if (is_new) member.value = &entry.value;
      } else if (member.value == nullptr) {
        if (is_new) member.merged = std::make_unique<MergedMap>();
        member.merged->Add(*nested);
      }
    }
  }

  [[nodiscard]] bool empty() const { return members_.empty(); }

  [[nodiscard]] Object ToObject() const {
    Object object;
    for (const auto& [name, member] : members_) {
      object.push_back({name, member.merged != nullptr ? StructValue(member.merged->ToObject())
                                                       : ValueOf(*member.value)});
    }
    return object;
  }

 private:
  // Exactly one of the two is set.
  struct Member {
    const Value* value = nullptr;
    std::unique_ptr<MergedMap> merged;
  };

  std::map<std::string_view, Member> members_;
};

}  // namespace

std::string_view RlsMetadata::Write(const RlsRequest& request, const Verdict& verdict) {
  MergedMap metadata;
  for (const SetVerdict& set : verdict.sets()) {
    if (const Value::Map* const map = MetadataOf(set, verdict)) metadata.Add(*map);
  }
  if (when_ == DynamicMetadata::kOfRules && metadata.empty()) return {};
  texts_.clear();
  out_.clear();
  Object members;
  members.push_back({"domain", Text(request.domain)});
  if (request.addend != 0) {
    members.push_back({"hitsAddend", StructValue(static_cast<double>(request.addend))});
  }
  StructValue::List descriptors;
  for (std::size_t i = 0; i < request.descriptors.size(); ++i) {
    descriptors.push_back(Describe(request, i, verdict));
  }
  members.push_back({"descriptors", StructValue(std::move(descriptors))});
  if (!metadata.empty()) members.push_back({"metadata", StructValue(metadata.ToObject())});
  AppendStruct(members, out_);
  return out_;
}

StructValue RlsMetadata::Describe(const RlsRequest& request, std::size_t number,
                                  const Verdict& verdict) {
  const RlsDescriptor& descriptor = request.descriptors[number];
  StructValue::List entries;
  for (const Attribute& entry : request.EntriesOf(descriptor)) {
    entries.push_back(Text(Keep(Concat(entry.name, "=", ToUtf8(entry.value)))));
  }
  Object members;
  members.push_back({"entries", StructValue(std::move(entries))});
  if (descriptor.addend) {
    members.push_back({"hitsAddend", StructValue(static_cast<double>(*descriptor.addend))});
  }
  if (verdict.sets().empty()) return StructValue(std::move(members));
  const SetVerdict& set = verdict.sets()[number];
  members.push_back({"allowed", StructValue(set.kind == VerdictKind::kAllowed)});
  const RuleDecision* const nearest = verdict.NearestOf(set);
  if (nearest == nullptr) {
    if (set.decided_by != nullptr) members.push_back({"rule", Text(set.decided_by->name)});
    return StructValue(std::move(members));
  }
  members.push_back({"rule", Text(nearest->limit->rule)});
  const Decision& decision = nearest->decision;
  if (decision.limit != kNoUnits) {
    members.push_back({"limit", StructValue(static_cast<double>(decision.limit))});
    members.push_back({"remaining", StructValue(static_cast<double>(decision.remaining))});
  }
  return StructValue(std::move(members));
}

}  // namespace sluice
