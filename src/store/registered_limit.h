// RegisteredLimit: a limit as the store knows it: its name, and the terms it has and had.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "core/limit.h"
#include "core/quick_bucket.h"
#include "core/quick_window.h"
#include "core/sip_hash.h"
#include "sluice/result.h"
#include "store/overflow.h"

namespace sluice {

// Which table of a shard a state lives in.
enum class Shape : std::uint8_t {
  kNarrow,  // one word: a time of up to a year ahead, to 1/256 ns
  kPair,    // two words
  kTriple,  // three words
  kBlock,   // memory of its own
};

// The terms of the algorithms that the shard decides without going through the core's general form.
using Quick = std::variant<std::monostate, QuickBucket, QuickWindow>;

// The terms of a limit at one time, with all that deciding needs worked out. Immutable.
struct PreparedTerms {
  Shape shape = Shape::kNarrow;
  std::uint8_t id = 0;           // names these terms in a slot; 1 to 255
  std::int64_t quick_units = 0;  // `quick` takes costs of 1 to this many units
  Quick quick;
  Limit limit;
  OverflowTerms overflow;
  // No state of these terms stays in use longer than this after its last change, but for one in
  // debt, which is told to RegisteredLimit::NoteUse.
  Nanos span{0};

  static PreparedTerms For(const Limit& limit, std::uint8_t id);
};

// Who says what the terms of a charge are.
enum class TermsFrom : std::uint8_t {
  kLimit,   // the limit: its current ones
  kCharge,  // each charge (BroughtTerms); a slot's id then names the denominator of its time
};

// A named limit. The name and the algorithm make the prefix of every key's hash, so a limit of
// another algorithm never meets its states.
//
// Thread safety: reading (current, ById, Hash) from any thread; Change and Prepare by one thread at
// a time.
// Lifetime: as the store's. Terms are kept as long as the limit, since a decision under way may
// still use them.
//
// Invariant: an id is given to new terms only once no slot written under its old terms can still
// be in use, so an id found in a slot in use always names the terms that wrote it.
class RegisteredLimit {
 public:
  RegisteredLimit(std::string name, std::uint32_t index, HashSeed seed, Algorithm algorithm,
                  TermsFrom terms_from = TermsFrom::kLimit);

  [[nodiscard]] const std::string& name() const { return name_; }
  [[nodiscard]] std::uint32_t index() const { return index_; }
  [[nodiscard]] Algorithm algorithm() const { return algorithm_; }
  [[nodiscard]] TermsFrom terms_from() const { return terms_from_; }

  // Pairs with the release in Change.
  [[nodiscard]] const PreparedTerms& current() const {
    return *current_.load(std::memory_order_acquire);
  }
  [[nodiscard]] const PreparedTerms* ById(std::uint8_t id) const {
    return by_id_[id].load(std::memory_order_acquire);
  }

  [[nodiscard]] std::uint64_t Hash(std::string_view key) const { return prefix_.Finish(key); }

  // A state was written under terms that are no longer current, for want of memory to convert it;
  // or it is in use as if it had been written at `now`, because it is in debt.
  void NoteUse(std::uint8_t id, Time now) const {
    const std::int64_t at = now.time_since_epoch().count();
    std::int64_t before = used_at_[id].load(std::memory_order_relaxed);
    while (at > before &&
           !used_at_[id].compare_exchange_weak(before, at, std::memory_order_relaxed)) {
    }
  }

  // Whether states of this limit may be in a table other than the one for `shape`.
  [[nodiscard]] bool HasOtherShapes(Shape shape) const {
    return (shapes_.load(std::memory_order_relaxed) & ~Bit(shape)) != 0;
  }

  // Makes `limit` the current terms.
  // An error if the algorithm differs, or if 255 terms are in use at once.
  Result<Done> Change(const Limit& limit, Time now);
  // Makes room for terms, so that the next Change cannot fail if it is to these.
  Result<Done> Prepare(const Limit& limit, Time now);

  // Brings back the terms a snapshot was written under, of which states may be in use that were
  // written at `used_at`. REQUIRES: no terms yet under this id.
  void RestoreTerms(const Limit& limit, std::uint8_t id, Time used_at);

  // The latest time that NoteUse was told of for the terms of an id.
  [[nodiscard]] Time UsedAt(std::uint8_t id) const {
    return Time{Nanos{used_at_[id].load(std::memory_order_relaxed)}};
  }

  // Every id that names terms.
  [[nodiscard]] std::vector<const PreparedTerms*> AllTerms() const;

 private:
  static constexpr std::uint8_t Bit(Shape shape) {
    return static_cast<std::uint8_t>(1U << static_cast<unsigned>(shape));
  }
  // The terms that are `limit`, or null.
  [[nodiscard]] const PreparedTerms* Find(const Limit& limit) const;
  // An id for new terms, or 0.
  [[nodiscard]] std::uint8_t FreeId(Time now) const;
  void Keep(const Limit& limit, std::uint8_t id);

  const std::string name_;
  const std::uint32_t index_;
  const Algorithm algorithm_;
  const TermsFrom terms_from_;
  SipHash prefix_;

  std::atomic<const PreparedTerms*> current_{nullptr};
  std::array<std::atomic<const PreparedTerms*>, 256> by_id_{};
  std::atomic<std::uint8_t> shapes_{0};

  // The latest time at which a state may have been written under the terms of an id, but for the
  // current ones; nanoseconds since 1970. Ahead of the time where one is in debt, so that `span`
  // after it that one is unused, too. Written by whoever holds the lock of a shard.
  mutable std::array<std::atomic<std::int64_t>, 256> used_at_{};

  // Touched by Prepare and RestoreTerms only.
  std::vector<std::unique_ptr<const PreparedTerms>> all_;
};

}  // namespace sluice
