// FrontMeter: what front ends were asked, and how long they took.
#pragma once

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <mutex>
#include <string_view>

#include "core/sole_writer_count.h"
#include "gate/verdict.h"
#include "sluice/time.h"

namespace sluice {

enum class FrontEnd : std::uint8_t {
  kRls,          // Envoy's rate limit service
  kLimiter,      // our own, over gRPC
  kHttp,         // /v1/..., /json
  kForwardAuth,  // /auth/...
  kResp,
};
inline constexpr std::array<std::string_view, 5> kFrontEndWords = {"rls", "limiter", "http",
                                                                   "forward_auth", "resp"};

// What became of a check.
enum class CheckOutcome : std::uint8_t {
  kAllowed,
  kRefused,
  kBadRequest,     // it was not understood, or its caller may not ask for it
  kUnknownDomain,  // there are no rules for it
  kFailed,         // it could not be told: there is no memory for its key
};
inline constexpr std::array<std::string_view, 5> kCheckOutcomeWords = {
    "allowed", "refused", "bad_request", "unknown_domain", "failed"};

// The upper ends of the ranges of times that are told apart; the last range has none.
inline constexpr std::array<Nanos, 14> kTimeBounds = {
    std::chrono::microseconds{50},  std::chrono::microseconds{100}, std::chrono::microseconds{200},
    std::chrono::microseconds{500}, std::chrono::milliseconds{1},   std::chrono::milliseconds{2},
    std::chrono::milliseconds{5},   std::chrono::milliseconds{10},  std::chrono::milliseconds{20},
    std::chrono::milliseconds{50},  std::chrono::milliseconds{100}, std::chrono::milliseconds{200},
    std::chrono::milliseconds{500}, std::chrono::seconds{1}};

// Of one front end. A value.
struct FrontTotals {
  std::array<std::uint64_t, kCheckOutcomeWords.size()> checks{};  // by CheckOutcome
  std::array<std::uint64_t, kTimeBounds.size() + 1> requests{};   // by range of times
  std::uint64_t nanos = 0;                                        // of all requests together
};
using FrontSums = std::array<FrontTotals, kFrontEndWords.size()>;  // by FrontEnd

// The counts of one worker's services, which alone write them. A request may have several checks.
//
// The replies to all requests that a connection read at once leave together, so each of them takes
// as long as the whole batch: the clock is read twice a batch, not twice a request.
//
// Thread safety: AddTo from any thread, all else from one.
class FrontMeter {
 public:
  FrontMeter() = default;
  FrontMeter(const FrontMeter&) = delete;
  FrontMeter& operator=(const FrontMeter&) = delete;
  ~FrontMeter() = default;

  // A request was answered, for which the gate gave these verdicts; without any it was a bad one.
  void AddRequest(FrontEnd front, const VerdictCounts& verdicts);
  // A request was answered that is one check.
  void AddRequest(FrontEnd front, CheckOutcome outcome);

  // All of a batch is answered, which took that long.
  void EndBatch(Nanos taken);

  void AddTo(FrontSums& sums) const;

 private:
  struct Counts {
    std::array<SoleWriterCount, kCheckOutcomeWords.size()> checks;
    std::array<SoleWriterCount, kTimeBounds.size() + 1> requests;
    SoleWriterCount nanos;
  };

  void Count(FrontEnd front, CheckOutcome outcome, std::uint64_t checks);

  // No other worker's counts are in the same cache line.
  alignas(64) std::array<Counts, kFrontEndWords.size()> counts_;
  std::array<std::uint64_t, kFrontEndWords.size()> batch_{};  // requests of this one so far
};

// The meters of all workers.
//
// Thread safety: everything from any thread. Ownership: the meters are its own.
class FrontMeters {
 public:
  // One more, which stays where it is.
  FrontMeter& Add();

  [[nodiscard]] FrontSums SumApprox() const;

 private:
  mutable std::mutex mutex_;
  std::deque<FrontMeter> meters_;
};

}  // namespace sluice
