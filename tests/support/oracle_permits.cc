// Oracle: permits of a concurrency limit.
#include <cstdint>
#include <memory>
#include <vector>

#include "support/oracle_models.h"

namespace sluice::testing {
namespace {

class PermitsModel final : public Model {
 public:
  explicit PermitsModel(const LimitSpec& spec)
      : max_(*spec.max_in_flight), ttl_(spec.ttl.value_or(Nanos{60'000'000'000}).count()) {}

  Decision Acquire(std::uint64_t id, Cost cost, Time now) override {
    const Wide at = Latest(now);
    if (cost.units == 0) return Report(at);
    if (Held* held = Find(id, at)) {
      held->deadline = at + ttl_;
      return Report(at);
    }
    if (cost.units > max_ || !Passes(cost.units, at)) return Refusal(cost.units, at);
    permits_.push_back({id, at + ttl_, cost.units});
    return Report(at);
  }

  Decision Renew(std::uint64_t id, Time now) override {
    const Wide at = Latest(now);
    if (Held* held = Find(id, at)) {
      held->deadline = at + ttl_;
      return Report(at);
    }
    Decision decision = Report(at);
    decision.allowed = false;
    decision.retry_after = kNever;
    return decision;
  }

  Decision Release(std::uint64_t id, Time now) override {
    const Wide at = Latest(now);
    if (Held* held = Find(id, at)) held->deadline = at;
    return Report(at);
  }

 protected:
  [[nodiscard]] std::int64_t Most() const override { return max_; }
  [[nodiscard]] bool Passes(std::int64_t cost, Wide at) const override {
    return UnitsAt(at) + cost <= max_;
  }
  [[nodiscard]] bool Unused(Wide at) const override { return UnitsAt(at) == 0; }

  void Take(std::int64_t /*cost*/, Wide /*at*/) override {}
  void Owe(std::int64_t /*cost*/, Wide /*at*/) override {}
  void GiveBack(std::int64_t /*cost*/, Wide /*at*/) override {}
  void Forget() override { permits_.clear(); }

 private:
  struct Held {
    std::uint64_t id = 0;
    Wide deadline = 0;  // the permit has expired from this time on
    std::int64_t units = 0;
  };

  [[nodiscard]] Wide UnitsAt(Wide at) const {
    Wide units = 0;
    for (const Held& held : permits_) units += held.deadline > at ? held.units : 0;
    return units;
  }
  Held* Find(std::uint64_t id, Wide at) {
    for (Held& held : permits_) {
      if (held.id == id && held.deadline > at) return &held;
    }
    return nullptr;
  }

  std::int64_t max_;
  Wide ttl_;
  std::vector<Held> permits_;
};

}  // namespace

std::unique_ptr<Model> MakePermitsModel(const LimitSpec& spec) {
  return std::make_unique<PermitsModel>(spec);
}

}  // namespace sluice::testing
