// Oracle: the algorithms that count units over time. Each keeps every charge and recounts them.
#include <algorithm>
#include <cstdint>
#include <map>
#include <memory>

#include "support/naive_calendar.h"
#include "support/oracle_models.h"

namespace sluice::testing {
namespace {

// A model that keeps its charges. The algorithm decides which of them count.
class HistoryModel : public Model {
 public:
  explicit HistoryModel(const LimitSpec& spec)
      : count_(spec.rate->count),
        period_(spec.rate->period.count()),
        count_refused_(spec.count_refused.value_or(false)) {}

 protected:
  [[nodiscard]] std::int64_t Most() const override { return static_cast<std::int64_t>(count_); }

  void Take(std::int64_t cost, Wide at) override { history_.push_back({at, cost}); }
  void GiveBack(std::int64_t cost, Wide /*at*/) override { RemoveNewest(history_, cost); }
  void Forget() override { history_.clear(); }

  template <typename Predicate>
  [[nodiscard]] Wide UnitsWhere(Predicate counts) const {
    Wide units = 0;
    for (const PastCharge& charge : history_) {
      if (counts(charge.at)) units += charge.units;
    }
    return units;
  }

  // Keeps the newest COUNT units of the charges that `counts` selects.
  template <typename Predicate>
  void KeepNewestWhere(Predicate counts) {
    Wide surplus = UnitsWhere(counts) - count_;
    for (PastCharge& charge : history_) {
      if (surplus <= 0) break;
      if (!counts(charge.at)) continue;
      const Wide dropped = std::min(surplus, charge.units);
      charge.units -= dropped;
      surplus -= dropped;
    }
    std::erase_if(history_, [](const PastCharge& charge) { return charge.units == 0; });
  }

  Wide count_;
  Wide period_;
  bool count_refused_;
  History history_;
};

class FixedWindowModel final : public HistoryModel {
 public:
  FixedWindowModel(const LimitSpec& spec, const Zone* zone, std::uint64_t key_hash)
      : HistoryModel(spec),
        kind_(spec.window.value_or(WindowKind::kAligned)),
        unit_(spec.rate->unit.value_or(CalendarUnit::kDay)),
        zone_(zone),
        offset_(Scaled(key_hash, period_)) {}

 protected:
  [[nodiscard]] bool Passes(std::int64_t cost, Wide at) const override {
    return CountAt(at) + cost <= count_;
  }
  [[nodiscard]] bool Unused(Wide at) const override { return CountAt(at) == 0; }

  void Take(std::int64_t cost, Wide at) override {
    if (CountAt(at) == 0) {
      history_.clear();
      opened_ = at;
    }
    HistoryModel::Take(cost, at);
  }
  void TakeRefused(std::int64_t cost, Wide at) override {
    const Wide units = std::min(Wide{cost}, count_ - CountAt(at));
    if (count_refused_ && units > 0) Take(static_cast<std::int64_t>(units), at);
  }
  void Owe(std::int64_t cost, Wide at) override {
    const Wide units = std::min(Wide{cost}, count_ - CountAt(at));
    if (units > 0) Take(static_cast<std::int64_t>(units), at);
  }

 private:
  // Returns key_hash * period / 2^64, computed by halves so that nothing overflows.
  static Wide Scaled(std::uint64_t key_hash, Wide period) {
    const Wide high = Wide{key_hash >> 32U} * period;
    const Wide low = Wide{key_hash & 0xffffffffU} * period;
    return (high + (low >> 32U)) >> 32U;
  }
  // Returns a number that identifies the window of a time.
  [[nodiscard]] Wide WindowOf(Wide at) const {
    switch (kind_) {
      case WindowKind::kAligned:
        return FloorDiv(at, period_);
      case WindowKind::kStaggered:
        return FloorDiv(at - offset_, period_);
      case WindowKind::kFirstRequest:
        return at < opened_ + period_ ? 0 : 1;
      case WindowKind::kCalendar:
        return CalendarWindowOf(static_cast<std::int64_t>(at / 1'000'000'000));
    }
    return 0;
  }
  // Cached, because a look at the clock is slow and charges are counted again and again.
  [[nodiscard]] Wide CalendarWindowOf(std::int64_t seconds) const {
    const auto [found, is_new] = calendar_.try_emplace(seconds, 0);
    if (is_new) found->second = CalendarIndex(*zone_, unit_, seconds);
    return found->second;
  }
  [[nodiscard]] Wide CountAt(Wide at) const {
    const Wide window = WindowOf(at);
    return UnitsWhere([&](Wide charged) { return WindowOf(charged) == window; });
  }

  WindowKind kind_;
  CalendarUnit unit_;
  const Zone* zone_;
  Wide offset_;
  Wide opened_ = 0;
  mutable std::map<std::int64_t, std::int64_t> calendar_;
};

class LogModel final : public HistoryModel {
 public:
  explicit LogModel(const LimitSpec& spec)
      : HistoryModel(spec), min_gap_(spec.min_gap.value_or(Nanos{0}).count()) {}

 protected:
  [[nodiscard]] bool Passes(std::int64_t cost, Wide at) const override {
    if (!history_.empty() && at - history_.back().at < min_gap_) return false;
    return UnitsAt(at) + cost <= count_;
  }
  [[nodiscard]] bool Unused(Wide at) const override { return UnitsAt(at) == 0; }

  void Take(std::int64_t cost, Wide at) override {
    HistoryModel::Take(cost, at);
    KeepNewestWhere([](Wide) { return true; });
  }
  void TakeRefused(std::int64_t cost, Wide at) override {
    if (count_refused_) Take(cost, at);
  }
  void Owe(std::int64_t cost, Wide at) override { Take(cost, at); }

 private:
  [[nodiscard]] Wide UnitsAt(Wide at) const {
    return UnitsWhere([&](Wide charged) { return charged > at - period_; });
  }

  Wide min_gap_;
};

class SlidingWindowModel final : public HistoryModel {
 public:
  using HistoryModel::HistoryModel;

 protected:
  [[nodiscard]] bool Passes(std::int64_t cost, Wide at) const override {
    const Wide left = period_ - at % period_;
    return UnitsIn(at, 1) * left + (UnitsIn(at, 0) + cost) * period_ <= count_ * period_;
  }
  [[nodiscard]] bool Unused(Wide at) const override {
    return UnitsIn(at, 0) == 0 && UnitsIn(at, 1) == 0;
  }
  void Owe(std::int64_t cost, Wide at) override {
    // The current counter holds at most COUNT.
    const Wide units = std::min(Wide{cost}, count_ - UnitsIn(at, 0));
    if (units > 0) Take(static_cast<std::int64_t>(units), at);
  }

 private:
  // Returns the units of the window that is `before` windows before that of `at`.
  [[nodiscard]] Wide UnitsIn(Wide at, Wide before) const {
    return UnitsWhere([&](Wide charged) { return charged / period_ == at / period_ - before; });
  }
};

class SlidingBucketsModel final : public HistoryModel {
 public:
  explicit SlidingBucketsModel(const LimitSpec& spec)
      : HistoryModel(spec),
        buckets_(spec.buckets.value_or(60)),
        part_(period_ / buckets_),
        oldest_(spec.oldest.value_or(OldestPart::kStrict)) {}

 protected:
  [[nodiscard]] bool Passes(std::int64_t cost, Wide at) const override {
    return Recent(at) * part_ + Oldest(at) * OldestWeight(at) + cost * part_ <= count_ * part_;
  }
  [[nodiscard]] bool Unused(Wide at) const override {
    return Recent(at) == 0 && (Oldest(at) == 0 || OldestWeight(at) == 0);
  }
  void Owe(std::int64_t cost, Wide at) override {
    Take(cost, at);
    KeepNewestWhere([&](Wide charged) { return at / part_ - charged / part_ < buckets_; });
  }

 private:
  [[nodiscard]] Wide Recent(Wide at) const {
    return UnitsWhere([&](Wide charged) { return at / part_ - charged / part_ < buckets_; });
  }
  [[nodiscard]] Wide Oldest(Wide at) const {
    return UnitsWhere([&](Wide charged) { return at / part_ - charged / part_ == buckets_; });
  }
  // Returns how much one unit of the oldest part counts, in units of 1/part_.
  [[nodiscard]] Wide OldestWeight(Wide at) const {
    if (oldest_ == OldestPart::kLenient) return 0;
    return oldest_ == OldestPart::kStrict ? part_ : part_ - at % part_;
  }

  Wide buckets_;
  Wide part_;
  OldestPart oldest_;
};

}  // namespace

std::unique_ptr<Model> MakeFixedWindowModel(const LimitSpec& spec, const Zone* zone,
                                            std::uint64_t key_hash) {
  return std::make_unique<FixedWindowModel>(spec, zone, key_hash);
}

std::unique_ptr<Model> MakeLogModel(const LimitSpec& spec) {
  return std::make_unique<LogModel>(spec);
}

std::unique_ptr<Model> MakeSlidingWindowModel(const LimitSpec& spec) {
  return std::make_unique<SlidingWindowModel>(spec);
}

std::unique_ptr<Model> MakeSlidingBucketsModel(const LimitSpec& spec) {
  return std::make_unique<SlidingBucketsModel>(spec);
}

}  // namespace sluice::testing
