#include "rules/compile/descriptor_tree.h"

#include <algorithm>

#include "rules/compile/key_writer.h"

namespace sluice {
namespace {

Enforcement EnforcementOf(const DescriptorSpec& spec) {
  if (spec.shadow_mode) return Enforcement::kShadow;
  return spec.quota_mode ? Enforcement::kQuota : Enforcement::kEnforce;
}

std::string NameBelow(const DescriptorNode& parent, const DescriptorSpec& spec) {
  std::string name = parent.name;
  if (!name.empty()) name += '.';
  name += spec.key;
  if (spec.value) name.append("_").append(*spec.value);
  return name;
}

}  // namespace

bool ValueMakesKey(const DescriptorSpec& spec) {
  return !spec.value || (Glob::IsGlob(*spec.value) && !spec.share_threshold);
}

DescriptorTree::DescriptorTree(const DomainSpec& domain, std::vector<RuleLimit>& limits)
    : domain_(domain.name) {
  nodes_.push_back(std::make_unique<DescriptorNode>());
  RuleLimitId id(domain.name);
  AddAll(domain.descriptors, *nodes_.front(), id.Add("descriptors"), limits);
}

void DescriptorTree::AddAll(std::span<const DescriptorSpec> specs, DescriptorNode& parent,
                            const RuleLimitId& id, std::vector<RuleLimit>& limits) {
  for (const DescriptorSpec& spec : specs) {
    const std::uint32_t added = Add(spec, parent, id, limits);
    const auto fresh = static_cast<std::uint32_t>(parent.children.size());
    const std::uint32_t at = parent.keys.FindOrAdd(spec.key, fresh);
    if (at == fresh) parent.children.emplace_back();
    DescriptorNode::Children& children = parent.children[at];
    if (!spec.value) {
      children.alone = added;
    } else if (Glob::IsGlob(*spec.value)) {
      children.globs.emplace_back(*spec.value, added);
    } else {
      children.whole.FindOrAdd(*spec.value, added);
    }
  }
}

std::uint32_t DescriptorTree::Add(const DescriptorSpec& spec, DescriptorNode& parent,
                                  const RuleLimitId& above, std::vector<RuleLimit>& limits) {
  const auto number = static_cast<std::uint32_t>(nodes_.size());
  nodes_.push_back(std::make_unique<DescriptorNode>());
  DescriptorNode& node = *nodes_.back();
  node.spec = &spec;
  node.name = NameBelow(parent, spec);
  RuleLimitId id = above;
  if (spec.value) {
    id.Add(spec.key, *spec.value);
  } else {
    id.Add(spec.key);
  }
  if (spec.limit) {
    node.limit = static_cast<std::uint32_t>(limits.size());
    limits.push_back({id.text(), node.name, spec.limit_name, &*spec.limit, domain_});
  }
  if (!spec.limit_name.empty()) node.limit_name = NumberOf(spec.limit_name);
  for (const ReplacedSpec& replaced : spec.replaces) {
    node.replaces.push_back(NumberOf(replaced.name));
  }
  AddAll(spec.descriptors, node, id, limits);
  return number;
}

std::uint32_t DescriptorTree::NumberOf(const std::string& limit_name) {
  return limit_names_.FindOrAdd(limit_name, static_cast<std::uint32_t>(limit_names_.size()));
}

const DescriptorNode* DescriptorTree::Next(const DescriptorNode& node,
                                           const Attribute& entry) const {
  const std::uint32_t at = node.keys.Find(entry.name);
  if (at == TextMap::kNone) return nullptr;
  const DescriptorNode::Children& children = node.children[at];
  std::uint32_t next = children.whole.Find(entry.value);
  if (next == TextMap::kNone) {
    const auto glob =
        std::find_if(children.globs.begin(), children.globs.end(),
                     [&](const auto& each) { return each.first.Matches(entry.value); });
    next = glob != children.globs.end() ? glob->second : children.alone;
  }
  return next == TextMap::kNone ? nullptr : nodes_[next].get();
}

void DescriptorTree::Find(std::span<const Attribute> entries, Cost cost, Match& match) const {
  if (nodes_.size() <= 1 || entries.empty()) return;
  const std::size_t before = match.keys_.size();
  KeyWriter writer(match.keys_);
  const DescriptorNode* node = nodes_.front().get();
  for (const Attribute& entry : entries) {
    node = Next(*node, entry);
    if (node == nullptr) return match.keys_.resize(before);
    if (ValueMakesKey(*node->spec)) writer.Add(entry.value);
  }
  match.node_ = node;
  if (node->limit == TextMap::kNone) return;
  match.charges_.push_back({.limit = node->limit,
                            .cost = cost,
                            .enforcement = EnforcementOf(*node->spec),
                            .node = node,
                            .key_begin = writer.begin(),
                            .key_size = writer.size()});
}

void DescriptorTree::DropReplaced(std::span<Match> matches, Bits& replaced) const {
  const auto replaces = [](const Match& match) {
    return match.node() != nullptr && !match.node()->replaces.empty();
  };
  const auto first = std::find_if(matches.begin(), matches.end(), replaces);
  if (first == matches.end()) return;
  replaced.Reset(limit_names_.size());
  for (auto each = first; each != matches.end(); ++each) {
    if (!replaces(*each)) continue;
    for (const std::uint32_t name : each->node()->replaces) replaced.Add(name);
  }
  for (Match& match : matches) {
    std::erase_if(match.charges_, [&](const RuleCharge& charge) {
      const bool named = charge.node != nullptr && charge.node->limit_name != TextMap::kNone;
      return named && replaced.Has(charge.node->limit_name);
    });
  }
}

}  // namespace sluice
