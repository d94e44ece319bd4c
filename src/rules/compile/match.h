// Match: the rules that apply to a request, and what they charge.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/sip_hash.h"
#include "rules/compile/bits.h"
#include "rules/model/attribute_value.h"
#include "sluice/attribute.h"
#include "sluice/charge.h"

namespace sluice {

struct CompiledRule;
struct DescriptorNode;

// How an attribute that a request repeats with different values is treated.
enum class Repeats : std::uint8_t {
  kFirstCounts,
  kRefused,  // if a rule uses it: the application may read the other value
};

// The attributes that rules are matched with. Does not own the bytes.
struct MatchedAttributes {
  std::span<const Attribute> attributes;
  // The strict form of the attribute `path`, which is not used in keys; empty if it is the same.
  // Limit and deny rules match if either form does, allow rules only if both do.
  std::string_view strict_path = {};
  Repeats repeats = Repeats::kFirstCounts;
  // How a lenient application may read the same request. If a rule uses one of these and
  // `attributes` has another value for it, the request is refused (MatchOutcome::kRepeated).
  std::span<const Attribute> lenient_attributes = {};
};

// One charge of a request: a limit of the rule set, the key and the cost.
struct RuleCharge {
  std::uint32_t limit = 0;  // index of RuleSet::limits()
  Cost cost;
  Enforcement enforcement = Enforcement::kEnforce;
  // The source of the charge; exactly one of the two is set.
  const CompiledRule* rule = nullptr;
  const DescriptorNode* node = nullptr;
  // The position of the key within the match's bytes; use Match::Key to read it.
  std::uint32_t key_begin = 0;
  std::uint32_t key_size = 0;
};

// The result of a match.
enum class MatchOutcome : std::uint8_t {
  kCharges,   // the charges decide; if there are none, nothing applies
  kAllow,     // an allow rule admits the request
  kDeny,      // a deny rule refuses the request
  kBadCost,   // the attribute that holds a rule's cost is not a whole number from 0 to 10^18
  kRepeated,  // an attribute that a rule uses is repeated or ambiguous
};

// The result of a match and its scratch memory. Keep one per thread and reuse it; after the first
// few requests nothing is allocated.
//
// Thread safety: none.
class Match {
 public:
  // Keys of more bytes than this are unusual; ReleaseMemory frees them.
  static constexpr std::size_t kKeyBytesKept = std::size_t{64} << 10U;

  [[nodiscard]] MatchOutcome outcome() const { return outcome_; }
  // Returns the rule that allowed, denied, or has the bad cost; otherwise null.
  [[nodiscard]] const CompiledRule* decided_by() const { return decided_by_; }
  // Returns a rule whose cost could not be read, or null. If that rule is in shadow, the outcome is
  // not kBadCost and the rule charges the cost of the request.
  [[nodiscard]] const CompiledRule* bad_cost() const { return bad_cost_; }
  // Returns the entry of the `descriptors` at which the attributes ended, or null.
  [[nodiscard]] const DescriptorNode* node() const { return node_; }
  // Returns the charges in the order of the rule files. REQUIRES: outcome() is kCharges.
  [[nodiscard]] std::span<const RuleCharge> charges() const { return charges_; }
  // Returns a view into this match, valid until the match is reused.
  [[nodiscard]] std::string_view Key(const RuleCharge& charge) const {
    return std::string_view(keys_).substr(charge.key_begin, charge.key_size);
  }

  // Sets the secret that chooses the keys on which rules with enforce_percent are enforced. Without
  // a secret they are enforced on all keys (except with a share of 0). Clear keeps the secret. The
  // secret must outlive its use.
  void UseShareSecret(const HashSeed* secret) { share_secret_ = secret; }

  // Prepares the match for another request.
  void Clear() {
    outcome_ = MatchOutcome::kCharges;
    decided_by_ = nullptr;
    bad_cost_ = nullptr;
    node_ = nullptr;
    charges_.clear();
    keys_.clear();
  }

  // Frees the memory of an unusually large request.
  void ReleaseMemory() {
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

  // The rest is scratch memory of Domain::MatchRules.
  std::vector<AttributeValue> values_;
  bool has_two_forms_ = false;
  // If the path has two forms: the values with the strict form, and the candidates found with it.
  std::vector<AttributeValue> strict_values_;
  Bits strict_candidates_;
  std::vector<std::string> address_texts_;  // values may refer to these
  Bits candidates_;
  Bits lists_seen_;
  Bits applying_;
};

}  // namespace sluice
