// Oracle: the algorithms that keep a level or the time of the next turn.
#include <algorithm>
#include <cstdint>
#include <limits>
#include <memory>

#include "support/oracle_models.h"

namespace sluice::testing {
namespace {

Wide BurstOr(const LimitSpec& spec, std::int64_t otherwise) {
  return spec.burst ? spec.burst->numerator / spec.burst->denominator : otherwise;
}

// token_bucket with greedy refill. Times are in ticks.
class TokenModel final : public Model {
 public:
  explicit TokenModel(const LimitSpec& spec)
      : scale_(ScaleOf(*spec.rate)),
        burst_(BurstOr(spec, spec.rate->count)),
        max_wait_(Wide{spec.max_wait.value_or(Nanos{0}).count()} * scale_.ns) {}

 protected:
  [[nodiscard]] std::int64_t Most() const override { return static_cast<std::int64_t>(burst_); }
  [[nodiscard]] bool Passes(std::int64_t cost, Wide at) const override {
    return WaitTicks(cost, at) <= max_wait_;
  }
  [[nodiscard]] bool GoesAhead(std::int64_t cost, Wide at) const override {
    return WaitTicks(cost, at) <= 0;
  }
  [[nodiscard]] bool Remains(std::int64_t cost, Wide at) const override {
    return GoesAhead(cost, at);
  }
  [[nodiscard]] bool Unused(Wide at) const override { return tat_ <= at * scale_.ns; }

  void Take(std::int64_t cost, Wide at) override { tat_ = Base(at) + cost * scale_.unit; }
  void Owe(std::int64_t cost, Wide at) override {
    const Wide furthest = std::max(kDebtYear * scale_.ns, burst_ * scale_.unit + max_wait_);
    tat_ = std::min(Base(at) + cost * scale_.unit, at * scale_.ns + furthest);
  }
  void GiveBack(std::int64_t cost, Wide at) override {
    // The units held are those between now and tat. Units before now have already come back.
    const Wide held = (Base(at) - at * scale_.ns + scale_.unit - 1) / scale_.unit;
    tat_ = std::max(at * scale_.ns, Base(at) - std::min(held, Wide{cost}) * scale_.unit);
  }
  void Forget() override { tat_ = 0; }

 private:
  [[nodiscard]] Wide Base(Wide at) const { return std::max(tat_, at * scale_.ns); }
  [[nodiscard]] Wide WaitTicks(std::int64_t cost, Wide at) const {
    return Base(at) + cost * scale_.unit - burst_ * scale_.unit - at * scale_.ns;
  }

  TickScale scale_;
  Wide burst_;
  Wide max_wait_;
  Wide tat_ = 0;
};

// token_bucket with interval refill: tokens, and the instants at which COUNT of them come back.
class IntervalModel final : public Model {
 public:
  explicit IntervalModel(const LimitSpec& spec)
      : count_(spec.rate->count),
        period_(spec.rate->period.count()),
        burst_(BurstOr(spec, spec.rate->count)),
        max_wait_(spec.max_wait.value_or(Nanos{0}).count()),
        aligned_(spec.aligned.value_or(false)),
        tokens_(burst_) {}

 protected:
  [[nodiscard]] std::int64_t Most() const override { return static_cast<std::int64_t>(burst_); }
  [[nodiscard]] bool Passes(std::int64_t cost, Wide at) const override {
    // The number of tokens never falls by itself, so it is enough to look at the end of max_wait.
    return GoesAhead(cost, at + max_wait_);
  }
  [[nodiscard]] bool GoesAhead(std::int64_t cost, Wide at) const override {
    return TokensAt(at) >= cost;
  }
  [[nodiscard]] bool Remains(std::int64_t cost, Wide at) const override {
    return GoesAhead(cost, at);
  }
  [[nodiscard]] bool Unused(Wide at) const override { return TokensAt(at) == burst_; }

  void Take(std::int64_t cost, Wide at) override {
    if (Unused(at)) phase_ = aligned_ ? 0 : at;
    Set(TokensAt(at) - cost, at);
  }
  void Owe(std::int64_t cost, Wide at) override {
    if (Unused(at)) phase_ = aligned_ ? 0 : at;
    // A debt is limited to the tokens that come back in time.
    const Wide refill_all = (burst_ + count_ - 1) / count_ * period_;
    const Wide end = at + std::max(kDebtYear, refill_all + max_wait_);
    const Wide refills = FloorDiv(end - phase_, period_) - FloorDiv(at - phase_, period_);
    const Wide owed = std::min(refills * count_, Wide{std::numeric_limits<std::int64_t>::max()});
    Set(std::max(TokensAt(at) - cost, burst_ - owed), at);
  }
  void GiveBack(std::int64_t cost, Wide at) override {
    Set(std::min(burst_, TokensAt(at) + cost), at);
  }
  void Forget() override { tokens_ = burst_; }

 private:
  [[nodiscard]] Wide TokensAt(Wide at) const {
    if (tokens_ == burst_) return burst_;
    const Wide refills = FloorDiv(at - phase_, period_) - FloorDiv(since_ - phase_, period_);
    return std::min(burst_, tokens_ + refills * count_);
  }
  void Set(Wide tokens, Wide at) {
    tokens_ = tokens;
    since_ = at;
  }

  Wide count_;
  Wide period_;
  Wide burst_;
  Wide max_wait_;
  bool aligned_;
  Wide tokens_;
  Wide since_ = 0;
  Wide phase_ = 0;
};

// leaky_bucket. Times are in ticks.
class LeakyModel final : public Model {
 public:
  explicit LeakyModel(const LimitSpec& spec)
      : scale_(ScaleOf(*spec.rate)),
        burst_(BurstOr(spec, spec.rate->count)),
        delay_after_(spec.delay_after.value_or(0) * scale_.unit),
        has_max_wait_(spec.max_wait.has_value()),
        max_wait_(Wide{spec.max_wait.value_or(Nanos{0}).count()} * scale_.ns) {}

 protected:
  [[nodiscard]] std::int64_t Most() const override { return static_cast<std::int64_t>(burst_ + 1); }
  [[nodiscard]] bool Passes(std::int64_t cost, Wide at) const override {
    if (Ahead(at) + (Wide{cost} - 1) * scale_.unit > burst_ * scale_.unit) return false;
    return !has_max_wait_ || Ahead(at) - delay_after_ <= max_wait_;
  }
  [[nodiscard]] bool GoesAhead(std::int64_t /*cost*/, Wide at) const override {
    return Ahead(at) <= delay_after_;
  }
  [[nodiscard]] bool Unused(Wide at) const override { return Ahead(at) == 0; }

  void Take(std::int64_t cost, Wide at) override {
    next_ = at * scale_.ns + Ahead(at) + cost * scale_.unit;
  }
  void Owe(std::int64_t cost, Wide at) override {
    const Wide furthest = std::max(kDebtYear * scale_.ns, (burst_ + 1) * scale_.unit);
    next_ = at * scale_.ns + std::min(Ahead(at) + cost * scale_.unit, furthest);
  }
  void GiveBack(std::int64_t cost, Wide at) override {
    const Wide held = (Ahead(at) + scale_.unit - 1) / scale_.unit;
    const Wide back = std::min(held, Wide{cost}) * scale_.unit;
    next_ = at * scale_.ns + std::max(Wide{0}, Ahead(at) - back);
  }
  void Forget() override { next_ = 0; }

 private:
  [[nodiscard]] Wide Ahead(Wide at) const { return std::max(Wide{0}, next_ - at * scale_.ns); }

  TickScale scale_;
  Wide burst_;
  Wide delay_after_;
  bool has_max_wait_;
  Wide max_wait_;
  Wide next_ = 0;
};

}  // namespace

std::unique_ptr<Model> MakeTokenModel(const LimitSpec& spec) {
  return std::make_unique<TokenModel>(spec);
}

std::unique_ptr<Model> MakeIntervalModel(const LimitSpec& spec) {
  return std::make_unique<IntervalModel>(spec);
}

std::unique_ptr<Model> MakeLeakyModel(const LimitSpec& spec) {
  return std::make_unique<LeakyModel>(spec);
}

}  // namespace sluice::testing
