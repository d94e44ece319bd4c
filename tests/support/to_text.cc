// Limits and decisions as text, for messages of tests that fail.
#include <optional>
#include <sstream>
#include <string>

#include "support/random_limit.h"

namespace sluice::testing {
namespace {

class Members {
 public:
  template <typename T>
  Members& Add(const char* name, const T& value) {
    text_ << (first_ ? "" : ", ") << name << ": " << value;
    first_ = false;
    return *this;
  }
  template <typename T>
  Members& AddIf(const char* name, const std::optional<T>& value) {
    return value ? Add(name, *value) : *this;
  }
  Members& AddLength(const char* name, const std::optional<Nanos>& value) {
    return value ? Add(name, std::to_string(value->count()) + "ns") : *this;
  }
  Members& AddFraction(const char* name, const std::optional<Fraction>& value) {
    if (!value) return *this;
    return Add(name, std::to_string(value->numerator) + "/" + std::to_string(value->denominator));
  }
  template <typename Choice>
  Members& AddChoice(const char* name, const std::optional<Choice>& value) {
    return value ? Add(name, static_cast<int>(*value)) : *this;
  }
  [[nodiscard]] std::string Text() const { return "{" + text_.str() + "}"; }

 private:
  std::ostringstream text_;
  bool first_ = true;
};

std::string WaitText(Nanos wait) { return wait == kNever ? "never" : std::to_string(wait.count()); }

}  // namespace

std::string ToText(const LimitSpec& spec) {
  Members members;
  members.Add("algorithm", static_cast<int>(spec.algorithm));
  if (spec.rate) {
    members.Add("rate", std::to_string(spec.rate->count) + "/" +
                            std::to_string(spec.rate->period.count()) + "ns");
    members.AddChoice("unit", spec.rate->unit);
  }
  return members.AddFraction("burst", spec.burst)
      .AddChoice("refill", spec.refill)
      .AddIf("aligned", spec.aligned)
      .AddLength("max_wait", spec.max_wait)
      .AddIf("delay_after", spec.delay_after)
      .AddChoice("window", spec.window)
      .AddIf("zone", spec.zone)
      .AddIf("count_refused", spec.count_refused)
      .AddLength("min_gap", spec.min_gap)
      .AddIf("buckets", spec.buckets)
      .AddChoice("oldest", spec.oldest)
      .AddLength("warm_up", spec.warm_up)
      .AddFraction("cold_factor", spec.cold_factor)
      .AddIf("max_in_flight", spec.max_in_flight)
      .AddLength("ttl", spec.ttl)
      .Text();
}

std::string ToText(const Decision& decision) {
  Members members;
  if (decision.source != Source::kMemory) {
    members.Add("source", std::to_string(static_cast<int>(decision.source)));
  }
  return members.Add("allowed", decision.allowed)
      .Add("limit", decision.limit)
      .Add("remaining", decision.remaining)
      .Add("retry_after", WaitText(decision.retry_after))
      .Add("reset_after", WaitText(decision.reset_after))
      .Add("wait", WaitText(decision.wait))
      .Text();
}

}  // namespace sluice::testing
