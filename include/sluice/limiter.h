// Limiter: rate limits inside your own program.
//
//   auto limiter = sluice::Limiter::Create({});
//   auto posts = limiter.value()->Add("posts", "2/m");
//   sluice::Decision decision = limiter.value()->Check({posts.value(), "user 42"});
//   if (!decision.allowed) Refuse(decision.retry_after);
//
// Start here. limit.h has the options of a limit, decision.h the answer to a check, clock.h the
// source of time, and result.h the way errors are returned.
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

// Statistics of the state a Limiter keeps in memory. All are approximate while other threads
// decide.
struct LimiterStats {
  std::uint64_t keys = 0;                // keys with a state of their own
  std::uint64_t bytes = 0;               // memory in use for states
  std::uint64_t overflow_decisions = 0;  // decisions on a shared state since the start
  std::uint64_t max_slots_moved = 0;     // maximum number of slots that one operation moved
};

// A set of named limits over an in-memory store.
//
// Thread safety: every method may be called from any thread at any time.
// Ownership: owns its store; the clock in Options must outlive it.
// Cost: a check makes no system call and, for the common algorithms, no allocation. With many keys,
// batches are several times cheaper per decision than single calls.
// Memory: states never take more than Options::memory_bytes (see Options).
//
// Invariants
//   (1) A refused charge takes nothing, unless its limit has count_refused.
//   (2) CheckAll takes all of its charges or none.
//   (3) Time never goes back: if the clock steps back, the latest time seen is used instead.
//   (4) A key is forgotten only when it is as if never used, so forgetting has no visible effect.
class Limiter {
 public:
  struct Options {
    // Maximum number of bytes for states. When they are used up, keys that are as if unused are
    // forgotten. If there are none, new keys share states (Source::kOverflow), which can refuse a
    // new key too early but never gives a key a second allowance.
    std::uint64_t memory_bytes = std::uint64_t{1} << 30U;
    // The source of time; null means the machine's clock. Not owned.
    Clock* clock = nullptr;
    // The seed of the key hash; by default a random one. Set it to make a run reproducible.
    std::optional<std::uint64_t> seed = std::nullopt;
  };

  static Result<std::unique_ptr<Limiter>> Create(const Options& options);

  virtual ~Limiter() = default;

  // Adds a limit under a name of your choice. The text form is "100/m"; the spec has all options.
  //   - Adding a name that exists is an error; use Change.
  //   - A limiter has at most 65,535 limits.
  virtual Result<LimitHandle> Add(std::string_view name, const LimitSpec& spec) = 0;
  Result<LimitHandle> Add(std::string_view name, std::string_view text);

  // Gives a limit new terms. Used units carry over: a key that had used 2 of 2/h has 2 left of 4/h.
  // The algorithm cannot change. Decisions in progress may still use the old terms.
  virtual Result<Done> Change(LimitHandle limit, const LimitSpec& spec) = 0;

  // Takes the charge if it passes.
  virtual Decision Check(const Charge& charge) = 0;
  // Returns what Check would return, without taking anything.
  virtual Decision Peek(const Charge& charge) = 0;
  // Takes the charge unconditionally, even below zero, for costs that are known only afterwards.
  // Returns the resulting state, always allowed and without a wait.
  //   - Buckets and pacers owe the whole cost and refuse until it is paid. The debt is at most what
  //     comes back within a year, or within the time they take to refill if that is longer.
  //   - Windows and logs are filled up, and the debt ends with the window.
  //   - A concurrency limit has no debts and takes nothing.
  virtual Decision TakeDebt(const Charge& charge) = 0;
  // Gives back at most what is still held, newest units first. Returns the resulting state.
  virtual Decision Refund(const Charge& charge) = 0;
  // Forgets the key. Returns the state of a key that was never used. Ignores the cost.
  virtual Decision Reset(const Charge& charge) = 0;

  // Batch forms. The charges are independent and take effect in order, all at the same time.
  // REQUIRES: decisions.size() >= charges.size().
  virtual void Check(std::span<const Charge> charges, std::span<Decision> decisions) = 0;
  virtual void Peek(std::span<const Charge> charges, std::span<Decision> decisions) = 0;
  virtual void Refund(std::span<const Charge> charges, std::span<Decision> decisions) = 0;

  // Checks one request against several limits: takes all charges or none, and returns whether it
  // took them. On a refusal, charges that would have passed report what they have left. A key that
  // occurs twice is charged twice.
  // REQUIRES: decisions.size() >= charges.size(); at most 64 charges.
  virtual bool CheckAll(std::span<const Charge> charges, std::span<Decision> decisions) = 0;

  // Checks, then blocks for `wait` if the charge passed with a wait (max_wait, leaky_bucket,
  // pacer).
  virtual Decision WaitFor(const Charge& charge) = 0;

  // Does the same without blocking: passes the wait to your event loop through `later`, which must
  // call `go_ahead` after it. If the charge is refused or passes without a wait, `done` is called
  // before this returns.
  using Later = std::function<void(Nanos wait, std::function<void()> go_ahead)>;
  virtual void WaitFor(const Charge& charge, const Later& later,
                       std::function<void(const Decision&)> done) = 0;

  // Permits of a concurrency limit, identified by an id that the caller chooses.
  //   - Acquiring an id that is held moves its deadline and counts it once.
  //   - Renewing an id that is not held is refused with kNever.
  //   - Releasing an id that is not held changes nothing.
  virtual Decision Acquire(const Charge& charge, std::string_view id) = 0;
  virtual Decision Renew(const Charge& charge, std::string_view id) = 0;
  virtual Decision Release(const Charge& charge, std::string_view id) = 0;

  // Write all states to a file (through a temporary file that is renamed), and read such a file
  // back. Call RestoreSnapshot before any limit is added; limits find their states by name. Shared
  // states (Source::kOverflow) are not saved, so their keys start afresh.
  virtual Result<Done> SaveSnapshot(const std::string& path) = 0;
  virtual Result<Done> RestoreSnapshot(const std::string& path) = 0;

  [[nodiscard]] virtual LimiterStats StatsApprox() const = 0;
};

}  // namespace sluice
