// DescriptorTree: the `descriptors` of a domain, as envoyproxy/ratelimit understands them.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "rules/bits.h"
#include "rules/glob.h"
#include "rules/match.h"
#include "rules/rule_limit.h"
#include "rules/rule_spec.h"
#include "rules/text_map.h"
#include "sluice/attribute.h"

namespace sluice {

// One entry of the tree. Immutable; points into the spec.
struct DescriptorNode {
  // What may follow under one key.
  struct Children {
    TextMap whole;  // value to an index of DescriptorTree's nodes
    std::vector<std::pair<Glob, std::uint32_t>> globs;  // in file order
    std::uint32_t alone = TextMap::kNone;               // the key without a value
  };

  const DescriptorSpec* spec = nullptr;
  std::string name;                      // "message_type_marketing.to_number"
  std::uint32_t limit = TextMap::kNone;  // an index of RuleSet::limits()
  // Numbers of limits' names in the domain: what its own is called, if anything, and those that do
  // not apply when it is met.
  std::uint32_t limit_name = TextMap::kNone;
  std::vector<std::uint32_t> replaces;
  TextMap keys;  // key to an index of `children`
  std::vector<Children> children;
};

// Finds the entry at which a descriptor ends.
//
// Thread safety: reading from any thread, each with a Match of its own.
//
// Invariants
//   (1) At each level the whole value is tried, then the patterns in file order, then the key
//       alone; the first that fits is taken, and never given up for another.
//   (2) A descriptor finds only an entry of exactly its own depth.
//   (3) Values share a state only where the same entries matched and, at every level without a
//       value or with a pattern that is not `share_threshold`, the values are equal.
class DescriptorTree {
 public:
  DescriptorTree() = default;
  // Appends its limits to `limits`. REQUIRES: CheckRules found no error.
  DescriptorTree(const DomainSpec& domain, std::vector<RuleLimit>& limits);

  // Sets match.node() and adds a charge where a limit is met.
  void Find(std::span<const Attribute> entries, Cost cost, Match& match) const;

  // Above all entries; it has no spec. REQUIRES: made of a domain.
  [[nodiscard]] const DescriptorNode& Root() const { return *nodes_.front(); }
  // The entry one level below `node`, or null.
  [[nodiscard]] const DescriptorNode* Next(const DescriptorNode& node,
                                           const Attribute& entry) const;

  // Takes out the charges of descriptors whose limit another descriptor of the same request
  // replaces. `replaced` is memory to work in. Takes time linear in the matches.
  void DropReplaced(std::span<Match> matches, Bits& replaced) const;

 private:
  std::uint32_t Add(const DescriptorSpec& spec, DescriptorNode& parent, const RuleLimitId& id,
                    std::vector<RuleLimit>& limits);
  void AddAll(std::span<const DescriptorSpec> specs, DescriptorNode& parent, const RuleLimitId& id,
              std::vector<RuleLimit>& limits);

  std::uint32_t NumberOf(const std::string& limit_name);

  std::string_view domain_;
  std::vector<std::unique_ptr<DescriptorNode>> nodes_;  // the first is the root, which has no spec
  TextMap limit_names_;
};

// Whether the value of a request tells states apart at an entry.
bool ValueMakesKey(const DescriptorSpec& spec);

}  // namespace sluice
