// Tally: statistics of a trace under one limit.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "simulate/reply.h"
#include "simulate/step.h"
#include "sluice/time.h"

namespace sluice::cli {

// The maximum number of units taken within one period, (t - period, t]. Charges must be added in
// order of time.
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
  std::size_t begin_ = 0;  // the first entry still in the period
  std::int64_t units_ = 0;
  std::int64_t units_max_ = 0;
};

// Counts checks and acquires. All other ops (see AsksToPass) are ignored.
//
// Thread safety: none.
class Tally {
 public:
  // `period` is the period of the limit's rate; nothing for a limit without a rate (concurrency).
  explicit Tally(std::optional<Nanos> period) : period_(period) {}

  void Add(const Step& step, const Reply& reply);

  [[nodiscard]] std::uint64_t allowed() const { return allowed_; }
  [[nodiscard]] std::uint64_t refused() const { return refused_; }
  // Returns the allowed share of all requests, from 0 to 1; 0 if there were none.
  [[nodiscard]] double share_allowed() const;
  [[nodiscard]] std::optional<Time> first_refusal() const { return first_refusal_; }
  // Returns the maximum number of consecutive requests without a refusal, over all keys.
  [[nodiscard]] std::uint64_t allowed_run_max() const { return run_max_; }
  // Returns the sum of the waits of all allowed requests, saturated at the maximum.
  [[nodiscard]] Nanos wait_total() const { return wait_total_; }
  [[nodiscard]] std::optional<Nanos> period() const { return period_; }
  // Returns the maximum number of units that one key was allowed within one period. Refunded units
  // count, because they did pass.
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
