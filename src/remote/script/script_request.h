// ScriptCall: one request in the form that the deciding script takes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/algorithm/fixed_window.h"
#include "remote/script/first_terms.h"
#include "remote/script/remote_limit.h"
#include "sluice/charge.h"
#include "sluice/decision.h"
#include "store/local.h"
#include "store/remote_store.h"

namespace sluice {

// One charge of a key that Redis keeps.
struct RemoteCharge {
  std::string_view key;  // its name in Redis
  const RemoteLimit* limit = nullptr;
  Cost cost{};
  Stagger stagger{};  // derived from the key; used by staggered windows only
  // For a refund: until when it may be applied.
  std::optional<ReturnBound> bound = std::nullopt;
};

// Corresponds to Request in store/local.h.
struct RemoteRequest {
  std::span<const RemoteCharge> charges;
  std::span<const Enforcement> enforcements = {};
  std::span<const Cost> min_remaining = {};
  ChargeMode charge_mode = ChargeMode::kAllOrNone;
};

// The operation of the script on a key.
enum class ItemKind : std::uint8_t { kCheck, kAsk, kDebt, kRefund, kReset };

// All charges of one key that are debts, or all that are not.
struct ScriptItem {
  ItemKind kind = ItemKind::kCheck;
  std::size_t key = 0;    // index of the key
  Cost cost{0};           // sum of all charges
  Cost min_remaining{0};  // the largest among the charges of the key
  bool is_enforced = false;
  bool is_quota = false;
  std::optional<ReturnBound> bound = std::nullopt;  // for a refund

  // Returns what must be free to pass: the cost plus min_remaining.
  [[nodiscard]] Cost asked() const;
};

class RespWriter;
class ScriptArguments;

struct ScriptKey {
  std::string name;
  const RemoteLimit* limit = nullptr;
  Stagger stagger{};
  // The key's first terms if they differ from those of the limit. Then the limit's state is stored
  // beside theirs (scripts/states.lua), and both decide.
  KeptTerms first{};

  [[nodiscard]] bool HasFirst() const { return first.limit != nullptr; }
};

// A request in which charges of the same key are merged, ready to be written as a command.
//
// Thread safety: none. Owns the names of its keys; keeps pointers to their limits, which must
// outlive it. Reuse it to reuse its memory.
//
// Invariants
//   (1) Every key occurs once among the keys, and in at most one debt and one other item.
//   (2) Debts come before all other items.
//   (3) The names of the keys are the only text in a command that callers supply.
//   (4) First terms, if a key has any, are more lenient than its limit. Neither is a sliding_log or
//       a concurrency limit.
class ScriptCall {
 public:
  ScriptCall() = default;
  explicit ScriptCall(const RemoteRequest& request) { Assign(request); }
  ScriptCall(Operation operation, const RemoteCharge& charge) { Assign(operation, {&charge, 1}); }

  // Builds a request. REQUIRES: 1 to Local::kMaxCharges charges; one limit per key; no debt of a
  // concurrency limit.
  void Assign(const RemoteRequest& request);
  // Builds one operation on each of several keys. REQUIRES: 1 to Local::kMaxCharges charges, no key
  // twice; not kAcquire, kRenew or kRelease; a check or a peek has one charge only.
  void Assign(Operation operation, std::span<const RemoteCharge> charges);

  // Sets the first terms of a key; none if they are those of its limit.
  void SetFirst(std::size_t key, KeptTerms first);

  // Appends the command. `about` is the best known time in Redis: calendar windows around it are
  // passed to the script.
  void Write(Time about, std::string& out) const;
  // Like Write above, with a reusable buffer for the arguments.
  void Write(Time about, ScriptArguments& room, std::string& out) const;

  [[nodiscard]] std::span<const ScriptKey> keys() const { return {keys_.data(), key_count_}; }
  // Number of keys with first terms that differ from their limit's.
  [[nodiscard]] std::size_t firsts() const { return firsts_; }
  [[nodiscard]] std::span<const ScriptItem> items() const { return items_; }
  // Returns the index of the item that decides a charge.
  [[nodiscard]] std::size_t ItemOf(std::size_t charge) const { return item_of_charge_[charge]; }
  [[nodiscard]] std::size_t charges() const { return item_of_charge_.size(); }

 private:
  void AddAll(const RemoteRequest& request, Operation operation);
  std::size_t KeyOf(const RemoteCharge& charge);
  ScriptItem& ItemFor(std::size_t key, ItemKind kind, std::size_t charge);

  void Clear(std::size_t charges);
  void WriteNames(RespWriter& writer) const;

  std::vector<ScriptKey> keys_;  // entries from key_count_ on keep the memory of their names
  std::size_t key_count_ = 0;
  std::size_t firsts_ = 0;
  std::vector<ScriptItem> items_;
  std::vector<std::size_t> item_of_charge_;
};

// Returns the name under which the state of other terms is stored beside a key.
std::string NameBeside(std::string_view key, std::string_view tag);

// Returns whether an item also applies to the first terms of a key. A refund with a bound applies
// only if the units were charged under these terms.
bool IsOfFirst(const ScriptKey& key, const ScriptItem& item);

// Returns what must be free for the check or peek of a key; 0 if the call has none.
Cost AskedOf(const ScriptCall& call, std::size_t key);

}  // namespace sluice
