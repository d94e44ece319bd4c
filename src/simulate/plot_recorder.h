// PlotRecorder: records the data for a plot while a trace is replayed.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "simulate/plot.h"
#include "simulate/reply.h"
#include "simulate/step.h"
#include "sluice/limit.h"
#include "sluice/result.h"

namespace sluice::cli {

// The steps of a trace, grouped by key. They are kept because the units left are sampled in a
// second pass over the steps of one key, and which key is plotted is known only at the end.
//
// Memory: all steps, without their keys. Thread safety: none.
class PlotSteps {
 public:
  // `used` is the time at which the step was decided.
  void Add(const Step& step, Time used);

  [[nodiscard]] bool Has(std::string_view key) const { return by_key_.contains(key); }
  [[nodiscard]] std::size_t keys() const { return by_key_.size(); }
  // Returns the key of the first step, or an empty text if there are no steps.
  [[nodiscard]] const std::string& first_key() const { return first_key_; }
  // Returns the steps of a key in order; empty if there are none.
  [[nodiscard]] const std::vector<Step>& Of(std::string_view key) const;

 private:
  std::map<std::string, std::vector<Step>, std::less<>> by_key_;
  std::string first_key_;
};

// The number of refused requests per key.
using RefusalCounts = std::map<std::string, std::uint64_t, std::less<>>;

// Returns the key with the most refusals, or the key of the first step if nothing was refused.
std::string MostRefusedKey(const RefusalCounts& refused, const PlotSteps& steps);

// Records the replies of one limit and computes the plot at the end.
//
// Memory: 16 bytes per request. Thread safety: none.
class PlotRecorder {
 public:
  void Add(const Step& step, const Reply& reply);

  [[nodiscard]] const RefusalCounts& refused() const { return refused_; }

  // Returns the plot. `title` is the limit as it was given, `key` the key whose curve it shows. May
  // be called only once, at the end.
  Result<Plot> Finish(const LimitSpec& spec, std::string title, const PlotSteps& steps,
                      std::string_view key);

 private:
  [[nodiscard]] Time Start() const;
  [[nodiscard]] Time End() const;

  std::vector<Mark> marks_;
  RefusalCounts refused_;
  bool has_steps_ = false;
  Time first_{};
  Time last_{};
  Nanos reset_after_{0};  // as of the last reply
};

}  // namespace sluice::cli
