// PlotRecorder: keeps of a run what its picture needs.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "cli/plot.h"
#include "cli/reply.h"
#include "cli/step.h"
#include "sluice/limit.h"
#include "sluice/result.h"

namespace sluice::cli {

// The steps of a trace by their keys. The units left of a key are sampled in a second pass over its
// steps, and whose picture is drawn is known at the end only.
//
// Memory: every step whole, without its key. Thread safety: none.
class PlotSteps {
 public:
  // `used` is the time the step was taken at.
  void Add(const Step& step, Time used);

  [[nodiscard]] bool Has(std::string_view key) const { return by_key_.contains(key); }
  [[nodiscard]] std::size_t keys() const { return by_key_.size(); }
  // The key of the first step; empty where there is none.
  [[nodiscard]] const std::string& first_key() const { return first_key_; }
  // In order. Empty where no step has the key.
  [[nodiscard]] const std::vector<Step>& Of(std::string_view key) const;

 private:
  std::map<std::string, std::vector<Step>, std::less<>> by_key_;
  std::string first_key_;
};

// How often the requests of a key were refused.
using RefusalCounts = std::map<std::string, std::uint64_t, std::less<>>;

// The key that was refused most; the first of the trace where none was.
std::string MostRefusedKey(const RefusalCounts& refused, const PlotSteps& steps);

// Listens to a run under one limit and, at its end, works out the picture of it.
//
// Memory: 16 bytes a request. Thread safety: none.
class PlotRecorder {
 public:
  void Add(const Step& step, const Reply& reply);

  [[nodiscard]] const RefusalCounts& refused() const { return refused_; }

  // Everything the picture shows. `title` is the limit as it was written, `key` the one whose units
  // it shows. Call it once, at the end.
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
  Nanos reset_after_{0};  // of the last reply
};

}  // namespace sluice::cli
