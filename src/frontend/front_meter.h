// FrontMeter: counts the requests of front ends and measures how long they take.
#pragma once

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <mutex>
#include <string_view>

#include "base/sole_writer_count.h"
#include "gate/verdict.h"
#include "sluice/time.h"

namespace sluice {

enum class FrontEnd : std::uint8_t {
  kRls,          // Envoy's rate limit service
  kLimiter,      // sluice.v1.Limiter, over gRPC
  kHttp,         // /v1/..., /json
  kForwardAuth,  // /auth/...
  kResp,
};
inline constexpr std::array<std::string_view, 5> kFrontEndWords = {"rls", "limiter", "http",
                                                                   "forward_auth", "resp"};

// The outcome of a check.
enum class CheckOutcome : std::uint8_t {
  kAllowed,
  kRefused,
  kBadRequest,     // malformed, or its caller has no permission for it
  kUnknownDomain,  // the domain has no rules
  kFailed,         // could not be decided: no memory for its key
};
inline constexpr std::array<std::string_view, 5> kCheckOutcomeWords = {
    "allowed", "refused", "bad_request", "unknown_domain", "failed"};

// The upper bounds of the histogram of times; the last bucket has none.
inline constexpr std::array<Nanos, 14> kTimeBounds = {
    std::chrono::microseconds{50},  std::chrono::microseconds{100}, std::chrono::microseconds{200},
    std::chrono::microseconds{500}, std::chrono::milliseconds{1},   std::chrono::milliseconds{2},
    std::chrono::milliseconds{5},   std::chrono::milliseconds{10},  std::chrono::milliseconds{20},
    std::chrono::milliseconds{50},  std::chrono::milliseconds{100}, std::chrono::milliseconds{200},
    std::chrono::milliseconds{500}, std::chrono::seconds{1}};

// The counts of one front end. A value type.
struct FrontTotals {
  std::array<std::uint64_t, kCheckOutcomeWords.size()> checks{};  // by CheckOutcome
  std::array<std::uint64_t, kTimeBounds.size() + 1> requests{};   // by bucket of the histogram
  std::uint64_t nanos = 0;                                        // sum over all requests
};
using FrontSums = std::array<FrontTotals, kFrontEndWords.size()>;  // by FrontEnd

// The counts of one worker's services, which are the only writers. A request may have several
// checks.
//
// All requests that a connection has read at once are answered together, so each of them counts
// with the time of the whole batch. The clock is read twice per batch, not twice per request.
//
// Thread safety: AddTo from any thread, all else from one.
class FrontMeter {
 public:
  FrontMeter() = default;
  FrontMeter(const FrontMeter&) = delete;
  FrontMeter& operator=(const FrontMeter&) = delete;
  ~FrontMeter() = default;

  // Counts a request that was answered with these verdicts. Without any verdict it was a bad
  // request.
  void AddRequest(FrontEnd front, const VerdictCounts& verdicts);
  // Counts a request that was one check.
  void AddRequest(FrontEnd front, CheckOutcome outcome);

  // Ends a batch: all of its requests were answered, and each took this long.
  void EndBatch(Nanos taken);

  void AddTo(FrontSums& sums) const;

 private:
  struct Counts {
    std::array<SoleWriterCount, kCheckOutcomeWords.size()> checks;
    std::array<SoleWriterCount, kTimeBounds.size() + 1> requests;
    SoleWriterCount nanos;
  };

  void Count(FrontEnd front, CheckOutcome outcome, std::uint64_t checks);

  // Aligned so that no cache line holds the counts of two workers.
  alignas(64) std::array<Counts, kFrontEndWords.size()> counts_;
  std::array<std::uint64_t, kFrontEndWords.size()> batch_{};  // requests of the current batch
};

// The meters of all workers.
//
// Thread safety: everything from any thread. Ownership: owns the meters.
class FrontMeters {
 public:
  // Adds a meter. The reference stays valid.
  FrontMeter& Add();

  [[nodiscard]] FrontSums SumApprox() const;

 private:
  mutable std::mutex mutex_;
  std::deque<FrontMeter> meters_;
};

}  // namespace sluice
