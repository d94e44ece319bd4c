// RegisteredLimit: a limit as the store knows it: its name and its current and earlier terms.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/sip_hash.h"
#include "core/algorithm/quick_bucket.h"
#include "core/algorithm/quick_window.h"
#include "core/limit/limit.h"
#include "sluice/result.h"
#include "store/overflow.h"

namespace sluice {

// The table of a shard in which a state is kept.
enum class Shape : std::uint8_t {
  kNarrow,  // one word: a time of up to a year ahead, in steps of 1/256 ns
  kPair,    // two words
  kTriple,  // three words
  kBlock,   // a separate allocation
};

// The terms of the algorithms that the shard decides on its fast path, without the core's general
// code.
using Quick = std::variant<std::monostate, QuickBucket, QuickWindow>;

// The terms of a limit at one time, with everything that deciding needs precomputed. Immutable.
struct PreparedTerms {
  Shape shape = Shape::kNarrow;
  std::uint8_t id = 0;           // identifies these terms in a slot; 1 to 255
  std::int64_t quick_units = 0;  // `quick` takes costs of 1 to this many units
  Quick quick;
  Limit limit;
  OverflowTerms overflow;
  // The maximum time that a state of these terms stays in use after its last change. A state in
  // debt may stay longer and is reported to RegisteredLimit::NoteUse.
  Nanos span{0};

  static PreparedTerms For(const Limit& limit, std::uint8_t id);
};

// Where the terms of a charge come from.
enum class TermsFrom : std::uint8_t {
  kLimit,   // the limit's current terms
  kCharge,  // each charge (CallerTerms); the id in a slot then encodes the denominator of its time
};

// A named limit. The name and the algorithm form the prefix of every key's hash, so a limit with
// another algorithm never finds these states.
//
// Thread safety: current, ById, Hash and NoteUse from any thread; Change and Prepare by one thread
// at a time.
// Lifetime: the store's. Terms are kept as long as the limit, because a decision in progress may
// still use them.
//
// Invariant: an id is reused for new terms only once no slot written under its old terms can still
// be in use, so the id in a slot in use always identifies the terms that wrote it.
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

  // Records that a state was written at `now` under terms that are no longer current, because there
  // was no memory to convert it; or that a state in debt stays in use as if it had been written at
  // `now`.
  void NoteUse(std::uint8_t id, Time now) const {
    const std::int64_t at = now.time_since_epoch().count();
    std::int64_t before = used_at_[id].load(std::memory_order_relaxed);
    while (at > before &&
           !used_at_[id].compare_exchange_weak(before, at, std::memory_order_relaxed)) {
    }
  }

  // Returns whether states of this limit may be in a table other than the one for `shape`.
  [[nodiscard]] bool HasOtherShapes(Shape shape) const {
    return (shapes_.load(std::memory_order_relaxed) & ~Bit(shape)) != 0;
  }

  // Makes `limit` the current terms. Returns an error if the algorithm differs, or if 255 terms are
  // in use at once.
  Result<Done> Change(const Limit& limit, Time now);
  // Makes room for new terms, so that the next Change cannot fail if it is to these.
  Result<Done> Prepare(const Limit& limit, Time now);

  // Restores terms from a snapshot. States that were written under them at `used_at` may be in use.
  // REQUIRES: no terms yet under this id.
  void RestoreTerms(const Limit& limit, std::uint8_t id, Time used_at);

  // Returns the latest time that NoteUse has recorded for an id.
  [[nodiscard]] Time UsedAt(std::uint8_t id) const {
    return Time{Nanos{used_at_[id].load(std::memory_order_relaxed)}};
  }

  // Returns all terms that have an id.
  [[nodiscard]] std::vector<const PreparedTerms*> AllTerms() const;

 private:
  static constexpr std::uint8_t Bit(Shape shape) {
    return static_cast<std::uint8_t>(1U << static_cast<unsigned>(shape));
  }
  // Returns the terms that are equal to `limit`, or null.
  [[nodiscard]] const PreparedTerms* Find(const Limit& limit) const;
  // Returns an id for new terms, or 0 if none is free.
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

  // Per id, the latest time at which a state may have been written under its terms, except for the
  // current ones; nanoseconds since 1970. In the future for a state in debt, so that the state is
  // unused `span` after it. Written while holding a shard's lock.
  mutable std::array<std::atomic<std::int64_t>, 256> used_at_{};

  // Used by Prepare and RestoreTerms only.
  std::vector<std::unique_ptr<const PreparedTerms>> all_;
};

}  // namespace sluice
