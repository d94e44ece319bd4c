// ScriptCall: one request as the script that decides takes it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/fixed_window.h"
#include "remote/first_terms.h"
#include "remote/remote_limit.h"
#include "sluice/charge.h"
#include "sluice/decision.h"
#include "store/local.h"
#include "store/remote.h"

namespace sluice {

// One charge of a key that Redis keeps.
struct RemoteCharge {
  std::string_view key;  // as it is called in Redis
  const RemoteLimit* limit = nullptr;
  Cost cost{};
  Stagger stagger{};  // drawn from the key; read by staggered windows alone
  // Of a refund.
  std::optional<ReturnBound> bound = std::nullopt;
};

// As Request of store/local.h.
struct RemoteRequest {
  std::span<const RemoteCharge> charges;
  std::span<const Veto> vetoes = {};
  std::span<const Cost> left_alone = {};
  Taking taking = Taking::kAllOrNone;
};

// What the script does with a key.
enum class ItemKind : std::uint8_t { kCheck, kAsk, kDebt, kRefund, kReset };

// All charges of one key that are debts, or all that are not.
struct ScriptItem {
  ItemKind kind = ItemKind::kCheck;
  std::size_t key = 0;  // its place among the keys
  Cost cost{0};         // of all charges
  Cost left_alone{0};   // most units that a charge of the key must leave
  bool is_enforced = false;
  bool is_quota = false;
  std::optional<ReturnBound> bound = std::nullopt;  // of a refund

  // What must pass: the cost, and what must be left.
  [[nodiscard]] Cost asked() const;
};

class RespWriter;
class ScriptArguments;

struct ScriptKey {
  std::string name;
  const RemoteLimit* limit = nullptr;
  Stagger stagger{};
  // The first terms of the key, where they are others than those of the limit: the state of the
  // limit lies beside theirs then (scripts/states.lua), and both decide.
  KeptTerms first{};

  [[nodiscard]] bool HasFirst() const { return first.limit != nullptr; }
};

// A request whose charges of the same key are joined, ready to be written as a command.
//
// Thread safety: none. Owns the names of its keys; refers to their limits, which must outlive it.
// Use it again: what it has allocated is kept.
//
// Invariants
//   (1) Every key stands once among the keys, in at most one debt and one other item.
//   (2) Debts come before all other items.
//   (3) Nothing in a command but the names of the keys comes from callers as text.
//   (4) The first terms of a key, where there are any, are more lenient than its limit, and neither
//       are a sliding_log's or permits'.
class ScriptCall {
 public:
  ScriptCall() = default;
  explicit ScriptCall(const RemoteRequest& request) { Assign(request); }
  ScriptCall(Operation operation, const RemoteCharge& charge) { Assign(operation, {&charge, 1}); }

  // REQUIRES: 1 to Local::kChargesMost charges; one limit for each key; no debt of a concurrency
  // limit.
  void Assign(const RemoteRequest& request);
  // One operation on each of some keys. REQUIRES: 1 to Local::kChargesMost charges, no key twice;
  // not kAcquire, kRenew or kRelease; a check or a peek stands alone.
  void Assign(Operation operation, std::span<const RemoteCharge> charges);

  // Says what the first terms of a key are; none where they are those of its limit.
  void SetFirst(std::size_t key, KeptTerms first);

  // Appends the command. `about` is the time as far as is known: windows of a calendar are handed
  // over from around it.
  void Write(Time about, std::string& out) const;
  // The same with memory to put the arguments together in.
  void Write(Time about, ScriptArguments& room, std::string& out) const;

  [[nodiscard]] std::span<const ScriptKey> keys() const { return {keys_.data(), key_count_}; }
  // How many keys have first terms that are not their limit's.
  [[nodiscard]] std::size_t firsts() const { return firsts_; }
  [[nodiscard]] std::span<const ScriptItem> items() const { return items_; }
  // The item that decides a charge.
  [[nodiscard]] std::size_t ItemOf(std::size_t charge) const { return item_of_charge_[charge]; }
  [[nodiscard]] std::size_t charges() const { return item_of_charge_.size(); }

 private:
  void AddAll(const RemoteRequest& request, Operation operation);
  std::size_t KeyOf(const RemoteCharge& charge);
  ScriptItem& ItemFor(std::size_t key, ItemKind kind, std::size_t charge);

  void Clear(std::size_t charges);
  void WriteNames(RespWriter& writer) const;

  std::vector<ScriptKey> keys_;  // those beyond key_count_ keep the memory of their names
  std::size_t key_count_ = 0;
  std::size_t firsts_ = 0;
  std::vector<ScriptItem> items_;
  std::vector<std::size_t> item_of_charge_;
};

// Where the state of terms lies beside the first ones of a key.
std::string NameBeside(std::string_view key, std::string_view tag);

// Whether an item is about the first terms of a key, too. What is given back up to some time is
// only if they were charged for it.
bool IsOfFirst(const ScriptKey& key, const ScriptItem& item);

// What must pass of a key, where it is more than a look.
Cost AskedOf(const ScriptCall& call, std::size_t key);

}  // namespace sluice
