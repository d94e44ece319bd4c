// Limiter: rate limits inside your own program.
//
//   auto limiter = sluice::Limiter::Create({});
//   auto posts = limiter.value()->Add("posts", "2/m");
//   sluice::Decision decision = limiter.value()->Check({posts.value(), "user 42"});
//   if (!decision.allowed) Refuse(decision.retry_after);
//
// Start here. The other headers: limit.h says what a limit can be, decision.h what an answer
// holds, clock.h where time comes from, result.h how errors are returned.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "sluice/charge.h"
#include "sluice/clock.h"
#include "sluice/decision.h"
#include "sluice/limit.h"
#include "sluice/result.h"

namespace sluice {

// What a Limiter keeps in memory, all of it approximate while other threads decide.
struct LimiterStats {
  std::uint64_t keys = 0;                // keys with a state of their own
  std::uint64_t bytes = 0;               // memory in use for states
  std::uint64_t overflow_decisions = 0;  // decided on a shared state, since the start
  std::uint64_t slots_moved_most = 0;    // most slots any one operation moved
};

// A set of named limits over an in-memory store.
//
// Thread safety: every method may be called from any thread at any time.
// Ownership: owns its store; the clock in Options must outlive it.
// Cost: a check takes no system call and, for the common algorithms, no allocation; batches are
// several times cheaper per decision than single calls where there are many keys.
// Memory: never more than Options::memory_bytes for states (see Options).
//
// Invariants
//   (1) A refused charge takes nothing, unless its limit says count_refused.
//   (2) CheckAll takes all of its charges or none.
//   (3) Time never goes back: a clock that steps back is read as the latest time seen.
//   (4) A key is forgotten only when it is as if never used, so forgetting is never seen.
class Limiter {
 public:
  struct Options {
    // Most bytes kept for states. When they are used up, keys that are as if unused are forgotten;
    // with none left, new keys share states (Source::kOverflow), which can refuse a new key too
    // early but never gives a key a second allowance.
    std::uint64_t memory_bytes = std::uint64_t{1} << 30U;
    // Where time comes from; null: the machine's clock. Not owned.
    Clock* clock = nullptr;
    // Seed of the key hash; none: drawn from the system. Set it to repeat a run exactly.
    std::optional<std::uint64_t> seed = std::nullopt;
  };

  static Result<std::unique_ptr<Limiter>> Create(const Options& options);

  virtual ~Limiter() = default;

  // Adds a limit under a name of your own. The text form is "100/m"; the spec has every option.
  //   - A name that is taken is an error; use Change.
  //   - At most 65,535 limits.
  virtual Result<LimitHandle> Add(std::string_view name, const LimitSpec& spec) = 0;
  Result<LimitHandle> Add(std::string_view name, std::string_view text);

  // Gives a limit new terms. Used units carry over: a key that had used 2 of 2/h has 2 left of
  // 4/h. The algorithm cannot change. Decisions already under way may use the old terms.
  virtual Result<Done> Change(LimitHandle limit, const LimitSpec& spec) = 0;

  // Takes the charge if it passes.
  virtual Decision Check(const Charge& charge) = 0;
  // Answers what Check would, and takes nothing.
  virtual Decision Peek(const Charge& charge) = 0;
  // Takes the charge in any case, below zero if need be: for costs that are known only afterwards.
  // Answers with the state it leaves, always allowed, and without a wait.
  //   - Buckets and pacers owe the whole cost, at most what comes back within a year (or within the
  //     time they take to refill, where that is longer), and refuse until it is paid.
  //   - A window or log is filled up, and the debt ends with it.
  //   - A concurrency limit has no debts: it takes nothing.
  virtual Decision TakeDebt(const Charge& charge) = 0;
  // Gives back at most what is still held, newest units first; answers with the state it leaves.
  virtual Decision Refund(const Charge& charge) = 0;
  // Forgets the key; answers with the state of a key never used. The cost is not looked at.
  virtual Decision Reset(const Charge& charge) = 0;

  // Batch forms. Charges are independent and take effect in order, all at one time.
  // REQUIRES: decisions.size() >= charges.size().
  virtual void Check(std::span<const Charge> charges, std::span<Decision> decisions) = 0;
  virtual void Peek(std::span<const Charge> charges, std::span<Decision> decisions) = 0;
  virtual void Refund(std::span<const Charge> charges, std::span<Decision> decisions) = 0;

  // One request over several limits: takes all charges or none, and says which. On a refusal the
  // charges that would have passed report what they have left. The same key twice counts twice.
  // REQUIRES: decisions.size() >= charges.size(); at most 64 charges.
  virtual bool CheckAll(std::span<const Charge> charges, std::span<Decision> decisions) = 0;

  // Checks, then blocks for `wait` if the charge passed with one (max_wait, leaky_bucket, pacer).
  virtual Decision WaitFor(const Charge& charge) = 0;

  // The same without blocking: hands the wait to your event loop, which calls `go_ahead` after it.
  // A refusal, or a pass without wait, calls `done` before this returns.
  using Later = std::function<void(Nanos wait, std::function<void()> go_ahead)>;
  virtual void WaitFor(const Charge& charge, const Later& later,
                       std::function<void(const Decision&)> done) = 0;

  // Permits of a concurrency limit, named by an id of the caller's.
  //   - Acquiring an id that is held moves its deadline and counts it once.
  //   - Renewing an id that is not held is refused with kNever.
  //   - Releasing an id that is not held changes nothing.
  virtual Decision Acquire(const Charge& charge, std::string_view id) = 0;
  virtual Decision Renew(const Charge& charge, std::string_view id) = 0;
  virtual Decision Release(const Charge& charge, std::string_view id) = 0;

  // Writes every state to a file, under a temporary name that is renamed into place; and reads
  // such a file back. Restore before any limit is added; limits find their states by name.
  // Shared states (Source::kOverflow) are not saved: their keys start afresh.
  virtual Result<Done> SaveSnapshot(const std::string& path) = 0;
  virtual Result<Done> RestoreSnapshot(const std::string& path) = 0;

  [[nodiscard]] virtual LimiterStats StatsApprox() const = 0;
};

}  // namespace sluice
