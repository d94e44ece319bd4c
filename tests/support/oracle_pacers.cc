// Oracle: the two pacers, as stored units and the time of the next free turn.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <memory>

#include "support/oracle_models.h"

namespace sluice::testing {
namespace {

// pacer without warm_up. Stored units are kept as the time they are worth, in ticks.
class PacerModel final : public Model {
 public:
  explicit PacerModel(const LimitSpec& spec)
      : scale_(ScaleOf(*spec.rate)),
        full_(FullStore(spec)),
        max_wait_(Wide{spec.max_wait.value_or(Nanos{0}).count()} * scale_.ns),
        stored_(full_) {}

 protected:
  [[nodiscard]] std::int64_t Most() const override { return kNoUnits; }
  [[nodiscard]] bool Hopeless(std::int64_t cost, Wide /*at*/) const override {
    return cost * scale_.unit > Wide{kLongestSpan.count()} * scale_.ns;
  }
  [[nodiscard]] bool Passes(std::int64_t cost, Wide at) const override {
    // No key may be busy for longer than the longest span, so that sums of times do not overflow.
    const Wide busy = std::max(Wide{0}, next_ - at * scale_.ns) + full_ - StoredAt(at);
    if (busy + cost * scale_.unit > Wide{kLongestSpan.count()} * scale_.ns) return false;
    return next_ <= at * scale_.ns + max_wait_;
  }
  [[nodiscard]] bool GoesAhead(std::int64_t /*cost*/, Wide at) const override {
    return next_ <= at * scale_.ns;
  }
  [[nodiscard]] bool Unused(Wide at) const override {
    return next_ <= at * scale_.ns && StoredAt(at) == full_;
  }

  void Take(std::int64_t cost, Wide at) override {
    stored_ = StoredAt(at);
    next_ = std::max(next_, at * scale_.ns);
    const Wide spent = std::min(stored_, cost * scale_.unit);
    stored_ -= spent;
    next_ += cost * scale_.unit - spent;
  }
  void Owe(std::int64_t cost, Wide at) override {
    // The debt is limited so that the key is busy for at most the longest span, as in Passes.
    Take(cost, at);
    const Wide busy = next_ - at * scale_.ns + full_ - stored_;
    const Wide longest = Wide{kLongestSpan.count()} * scale_.ns;
    if (busy > longest) next_ -= busy - longest;
  }
  void GiveBack(std::int64_t /*cost*/, Wide /*at*/) override {}
  void Forget() override {
    next_ = 0;
    stored_ = full_;
  }

 private:
  // Whole ticks are enough: all other times are multiples of a tick, so a part of one has no
  // effect.
  [[nodiscard]] Wide FullStore(const LimitSpec& spec) const {
    if (!spec.burst) return Wide{1'000'000'000} * scale_.ns;
    return Wide{spec.burst->numerator} * scale_.unit / spec.burst->denominator;
  }
  [[nodiscard]] Wide StoredAt(Wide at) const {
    const Wide idle = std::max(Wide{0}, at * scale_.ns - next_);
    return std::min(full_, stored_ + idle);
  }

  TickScale scale_;
  Wide full_;
  Wide max_wait_;
  Wide stored_;
  Wide next_ = 0;
};

// pacer with warm_up, in long double. Durations are in nanoseconds.
class WarmUpModel final : public Model {
 public:
  explicit WarmUpModel(const LimitSpec& spec)
      : max_wait_(spec.max_wait.value_or(Nanos{0}).count()) {
    const TickScale scale = ScaleOf(*spec.rate);
    stable_ = static_cast<long double>(scale.unit) / static_cast<long double>(scale.ns);
    const Fraction factor = spec.cold_factor.value_or(Fraction{3});
    const long double cold = stable_ * static_cast<long double>(factor.numerator) /
                             static_cast<long double>(factor.denominator);
    const auto warm_up = static_cast<long double>(spec.warm_up->count());
    threshold_ = warm_up / stable_ / 2;
    full_ = threshold_ + 2 * warm_up / (stable_ + cold);
    slope_ = (cold - stable_) / (full_ - threshold_);
    refill_ = warm_up / full_;
    stored_ = full_;
    largest_ = warm_up;
  }

  [[nodiscard]] Nanos Tolerance() const override {
    return Nanos{static_cast<std::int64_t>(8 + largest_ * 1e-12L)};
  }

 protected:
  [[nodiscard]] std::int64_t Most() const override { return kNoUnits; }
  [[nodiscard]] bool Hopeless(std::int64_t cost, Wide at) const override {
    return Price(cost, at) > static_cast<long double>(kLongestSpan.count());
  }
  [[nodiscard]] bool Passes(std::int64_t cost, Wide at) const override {
    // As in PacerModel, no request may be sent further ahead than the longest span.
    const auto ahead = static_cast<long double>(std::max(Wide{0}, next_ - at));
    if (ahead + Price(cost, at) > static_cast<long double>(kLongestSpan.count())) return false;
    return next_ <= at + max_wait_;
  }
  [[nodiscard]] bool GoesAhead(std::int64_t /*cost*/, Wide at) const override {
    return next_ <= at;
  }
  [[nodiscard]] bool Unused(Wide at) const override {
    // No state is in use after the last possible time.
    const Time last = kLatestTime + kLongestSpan;
    if (at >= last.time_since_epoch().count()) return true;
    return next_ <= at && StoredAt(at) >= full_;
  }

  void Take(std::int64_t cost, Wide at) override {
    const long double price = Price(cost, at);
    largest_ = std::max(largest_, price);
    stored_ = StoredAt(at);
    stored_ -= std::min(stored_, static_cast<long double>(cost));
    next_ = std::max(next_, at) + static_cast<Wide>(std::ceil(price));
  }
  void Owe(std::int64_t cost, Wide at) override {
    const auto longest = static_cast<long double>(kLongestSpan.count());
    const Wide next =
        std::max(next_, at) + static_cast<Wide>(std::ceil(std::min(Price(cost, at), longest)));
    largest_ = std::max(largest_, std::min(Price(cost, at), longest));
    stored_ = StoredAt(at);
    stored_ -= std::min(stored_, static_cast<long double>(cost));
    next_ = std::min(next, at + kLongestSpan.count());
  }
  void GiveBack(std::int64_t /*cost*/, Wide /*at*/) override {}
  void Forget() override {
    next_ = 0;
    stored_ = full_;
  }

 private:
  [[nodiscard]] long double StoredAt(Wide at) const {
    const Wide idle = std::max(Wide{0}, at - next_);
    return std::min(full_, stored_ + static_cast<long double>(idle) / refill_);
  }
  // Returns the time that `cost` units cost: a trapezoid for stored units above the threshold, T
  // for the others.
  [[nodiscard]] long double Price(std::int64_t cost, Wide at) const {
    const long double stored = StoredAt(at);
    const auto units = static_cast<long double>(cost);
    const long double spent = std::min(units, stored);
    const long double above = std::max(0.0L, stored - threshold_);
    const long double cold = std::min(above, spent);
    const long double dearest = stable_ + above * slope_;
    const long double cheapest = stable_ + (above - cold) * slope_;
    return cold * (dearest + cheapest) / 2 + (units - cold) * stable_;
  }

  Wide max_wait_;
  long double stable_ = 1;
  long double threshold_ = 0;
  long double full_ = 0;
  long double slope_ = 0;
  long double refill_ = 1;
  long double stored_ = 0;
  long double largest_ = 0;
  Wide next_ = 0;
};

}  // namespace

std::unique_ptr<Model> MakePacerModel(const LimitSpec& spec) {
  return std::make_unique<PacerModel>(spec);
}

std::unique_ptr<Model> MakeWarmUpModel(const LimitSpec& spec) {
  return std::make_unique<WarmUpModel>(spec);
}

}  // namespace sluice::testing
