// Match: which rules apply to a request, and what they charge.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/sip_hash.h"
#include "rules/attribute_value.h"
#include "rules/bits.h"
#include "sluice/attribute.h"
#include "sluice/charge.h"

namespace sluice {

struct CompiledRule;
struct DescriptorNode;

// What becomes of an attribute that a request has twice, with different values.
enum class Repeats : std::uint8_t {
  kFirstCounts,
  kRefused,  // where a rule uses it: the application may take the other value
};

// What rules are matched with. Views the caller's bytes.
struct MatchedAttributes {
  std::span<const Attribute> attributes;
  // The second form of the attribute `path`, which makes no keys; empty where there is none. Limit
  // and deny rules match if either form does, allow rules only if both do.
  std::string_view strict_path = {};
  Repeats repeats = Repeats::kFirstCounts;
  // How a lenient application may read the same request. Where a rule uses one of these and
  // `attributes` does not say the same of it, the request is refused (MatchOutcome::kRepeated).
  std::span<const Attribute> lenient_attributes = {};
};

// One charge that a request comes to: a limit of the rule set, the key, the cost.
struct RuleCharge {
  std::uint32_t limit = 0;  // an index of RuleSet::limits()
  Cost cost;
  Veto veto = Veto::kEnforce;
  // What it comes from: one of the two.
  const CompiledRule* rule = nullptr;
  const DescriptorNode* node = nullptr;
  // Where its key is in Match's bytes; Match::Key reads it.
  std::uint32_t key_begin = 0;
  std::uint32_t key_size = 0;
};

// What a match comes to.
enum class MatchOutcome : std::uint8_t {
  kCharges,   // the charges decide; with none, nothing applies
  kAllow,     // an allow rule lets it pass
  kDeny,      // a deny rule refuses it
  kBadCost,   // the attribute that holds a rule's cost is no whole number from 0 to 10^18
  kRepeated,  // an attribute that a rule uses comes twice, or can be read in two ways
};

// The answer of a match, and the memory it is worked out in: keep one for each thread and use it
// again, and after the first few requests nothing is allocated.
//
// Thread safety: none.
class Match {
 public:
  // Keys of more bytes than this are unusual.
  static constexpr std::size_t kKeyBytesKept = std::size_t{64} << 10U;

  [[nodiscard]] MatchOutcome outcome() const { return outcome_; }
  // The rule that allowed, denied, or has the bad cost; else null.
  [[nodiscard]] const CompiledRule* decided_by() const { return decided_by_; }
  // A rule whose cost could not be read, or null. Where it is in shadow the outcome is not
  // kBadCost, and it charges the cost of the request.
  [[nodiscard]] const CompiledRule* bad_cost() const { return bad_cost_; }
  // Where the attributes ended in the `descriptors`, or null.
  [[nodiscard]] const DescriptorNode* node() const { return node_; }
  // REQUIRES: outcome() is kCharges. In the order of the rule files.
  [[nodiscard]] std::span<const RuleCharge> charges() const { return charges_; }
  // Views this match, until it is used again.
  [[nodiscard]] std::string_view Key(const RuleCharge& charge) const {
    return std::string_view(keys_).substr(charge.key_begin, charge.key_size);
  }

  // The secret that chooses the keys on which rules with enforce_percent are enforced; without one
  // they are enforced on all keys (but for a share of 0). Stays when the match is cleared. The
  // secret outlives its use.
  void UseShareSecret(const HashSeed* secret) { share_secret_ = secret; }

  // Makes it ready for another request.
  void Clear() {
    outcome_ = MatchOutcome::kCharges;
    decided_by_ = nullptr;
    bad_cost_ = nullptr;
    node_ = nullptr;
    charges_.clear();
    keys_.clear();
  }

  // Gives back the memory of a request that was far larger than most.
  void LetGo() {
    if (keys_.capacity() > kKeyBytesKept) std::string().swap(keys_);
    if (charges_.capacity() > kChargesKept) std::vector<RuleCharge>().swap(charges_);
  }

  [[nodiscard]] std::size_t KeyBytesKeptForTest() const { return keys_.capacity(); }

 private:
  friend class Domain;
  friend class DomainExplainer;
  friend class DescriptorTree;

  static constexpr std::size_t kChargesKept = 1024;

  MatchOutcome outcome_ = MatchOutcome::kCharges;
  const CompiledRule* decided_by_ = nullptr;
  const CompiledRule* bad_cost_ = nullptr;
  const DescriptorNode* node_ = nullptr;
  const HashSeed* share_secret_ = nullptr;
  std::vector<RuleCharge> charges_;
  std::string keys_;

  // Scratch of Domain::MatchRules.
  std::vector<AttributeValue> values_;
  bool has_two_forms_ = false;
  // Where the path has two forms: the values with its strict one, and what the index finds by it.
  std::vector<AttributeValue> strict_values_;
  Bits strict_candidates_;
  std::vector<std::string> address_texts_;  // views of which may be among the values
  Bits candidates_;
  Bits lists_seen_;
  Bits applying_;
};

}  // namespace sluice
