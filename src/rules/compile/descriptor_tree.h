// DescriptorTree: the `descriptors` of a domain, with the semantics of envoyproxy/ratelimit.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "rules/compile/bits.h"
#include "rules/compile/match.h"
#include "rules/compile/rule_limit.h"
#include "rules/compile/text_map.h"
#include "rules/model/glob.h"
#include "rules/model/rule_spec.h"
#include "sluice/attribute.h"

namespace sluice {

// One entry of the tree. Immutable; points into the spec.
struct DescriptorNode {
  // The child entries with one key.
  struct Children {
    TextMap whole;                                      // value to index of DescriptorTree::nodes_
    std::vector<std::pair<Glob, std::uint32_t>> globs;  // in file order
    std::uint32_t alone = TextMap::kNone;               // the entry without a value
  };

  const DescriptorSpec* spec = nullptr;
  std::string name;                      // "message_type_marketing.to_number"
  std::uint32_t limit = TextMap::kNone;  // index of RuleSet::limits()
  // Names of limits are numbered per domain. limit_name is the name of this entry's limit, if any;
  // replaces are the names of the limits that do not apply if a descriptor ends here.
  std::uint32_t limit_name = TextMap::kNone;
  std::vector<std::uint32_t> replaces;
  TextMap keys;  // key to index of `children`
  std::vector<Children> children;
};

// Finds the entry at which a descriptor ends.
//
// Thread safety: any number of threads may read, each with its own Match.
//
// Invariants
//   (1) At each level the exact value is tried first, then the patterns in file order, then the key
//       without a value. The first that matches is taken; there is no backtracking.
//   (2) A descriptor only matches an entry at exactly its own depth.
//   (3) Two descriptors share a state only if the same entries matched them and their values are
//       equal at every level without a value or with a pattern that is not `share_threshold`.
class DescriptorTree {
 public:
  DescriptorTree() = default;
  // Appends the limits of its entries to `limits`. REQUIRES: CheckRules found no error.
  DescriptorTree(const DomainSpec& domain, std::vector<RuleLimit>& limits);

  // Sets match.node() if the descriptor ends at an entry, and adds a charge if the entry has a
  // limit.
  void Find(std::span<const Attribute> entries, Cost cost, Match& match) const;

  // Returns the root, which is above all entries and has no spec. REQUIRES: constructed from a
  // domain.
  [[nodiscard]] const DescriptorNode& Root() const { return *nodes_.front(); }
  // Returns the matching entry one level below `node`, or null.
  [[nodiscard]] const DescriptorNode* Next(const DescriptorNode& node,
                                           const Attribute& entry) const;

  // Removes the charges whose limit another descriptor of the same request replaces. `replaced` is
  // scratch memory. Takes time linear in the matches.
  void DropReplaced(std::span<Match> matches, Bits& replaced) const;

 private:
  std::uint32_t Add(const DescriptorSpec& spec, DescriptorNode& parent, const RuleLimitId& id,
                    std::vector<RuleLimit>& limits);
  void AddAll(std::span<const DescriptorSpec> specs, DescriptorNode& parent, const RuleLimitId& id,
              std::vector<RuleLimit>& limits);

  std::uint32_t NumberOf(const std::string& limit_name);

  std::string_view domain_;
  std::vector<std::unique_ptr<DescriptorNode>> nodes_;  // the first one is the root
  TextMap limit_names_;
};

// Returns whether the entry keeps one state per value of the request.
bool ValueMakesKey(const DescriptorSpec& spec);

}  // namespace sluice
