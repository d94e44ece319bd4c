// Tally: what became of a trace under one limit, in numbers.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "cli/reply.h"
#include "cli/step.h"
#include "sluice/time.h"

namespace sluice::cli {

// Most units taken in any stretch of one period, (t - period, t], fed in order of time.
//
// Memory: the charges of one period.
class BusiestPeriod {
 public:
  void Add(Time t, std::int64_t units, Nanos period);
  [[nodiscard]] std::int64_t units_max() const { return units_max_; }

 private:
  struct Taken {
    Time t;
    std::int64_t units;
  };

  std::vector<Taken> taken_;
  std::size_t begin_ = 0;  // of those still in the period
  std::int64_t units_ = 0;
  std::int64_t units_max_ = 0;
};

// Counts the checks (and acquires) of a trace; peeks, refunds, resets, renews and releases are no
// requests and are not counted.
//
// Thread safety: none.
class Tally {
 public:
  // The period is that of the limit; none for a limit that has no rate (concurrency).
  explicit Tally(std::optional<Nanos> period) : period_(period) {}

  void Add(const Step& step, const Reply& reply);

  [[nodiscard]] std::uint64_t allowed() const { return allowed_; }
  [[nodiscard]] std::uint64_t refused() const { return refused_; }
  // Allowed of all, from 0 to 1; 0 where there were none.
  [[nodiscard]] double share_allowed() const;
  [[nodiscard]] std::optional<Time> first_refusal() const { return first_refusal_; }
  // Most requests allowed one after another without a refusal between, over all keys.
  [[nodiscard]] std::uint64_t allowed_run_max() const { return run_max_; }
  // Waits of all allowed requests together; stays at the largest number it can hold.
  [[nodiscard]] Nanos wait_total() const { return wait_total_; }
  [[nodiscard]] std::optional<Nanos> period() const { return period_; }
  // Most units that one key was allowed in any stretch of one period. Units that were given back
  // later count, as they did pass.
  [[nodiscard]] std::optional<std::int64_t> period_units_max() const;

 private:
  std::optional<Nanos> period_;
  std::uint64_t allowed_ = 0;
  std::uint64_t refused_ = 0;
  std::optional<Time> first_refusal_;
  std::uint64_t run_ = 0;
  std::uint64_t run_max_ = 0;
  Nanos wait_total_{0};
  std::unordered_map<std::string, BusiestPeriod> by_key_;
};

}  // namespace sluice::cli
