// SteppedRemote: a remote store in this process that answers each call when the test says so.
#pragma once

#include <array>
#include <cstring>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "store/memory_store.h"
#include "store/remote_store.h"
#include "support/fake_clock.h"

namespace sluice::testing {

// Binds every limit except those of `refused_algorithm`.
class SteppedLimits final : public RemoteLimits {
 public:
  [[nodiscard]] Result<std::shared_ptr<const RemoteTerms>> Bind(const Limit& limit) const override {
    if (limit.spec.algorithm == refused_algorithm) return Error{"memory only"};
    return {std::make_shared<const Terms>(limit)};
  }
  [[nodiscard]] const FleetSecret* secret() const override {
    return known ? &secrets_[current_] : nullptr;
  }

  void ChangeSecret() { current_ = 1; }

  Algorithm refused_algorithm = Algorithm::kConcurrency;
  bool known = true;

 private:
  struct Terms final : RemoteTerms {
    using RemoteTerms::RemoteTerms;
  };
  std::array<FleetSecret, 2> secrets_{{{{1, 2}, {3, 4}}, {{5, 6}, {7, 8}}}};
  std::size_t current_ = 0;
};

// Decides with its own memory store, at the time of a clock, when the test calls Answer.
class SteppedRemote final : public RemoteStore {
 public:
  explicit SteppedRemote(Clock& clock) : clock_(clock) {}

  [[nodiscard]] bool Decide(RemoteCall& call, RemoteListener& listener) override {
    if (is_away) return false;
    waiting_.push_back({&call, &listener});
    return true;
  }

  void OnNotAsked() override { ++not_asked; }

  // Decides the oldest call.
  void Answer() { Finish(RemoteOutcome::kDecided); }
  // Reports the oldest call as failed.
  void Fail(RemoteOutcome outcome) { Finish(outcome); }
  void PassDeadline() { waiting_.front().listener->OnOverdue(*waiting_.front().call); }

  [[nodiscard]] std::size_t waiting() const { return waiting_.size(); }
  [[nodiscard]] const RemoteCall& oldest() const { return *waiting_.front().call; }
  // Returns the units left of the only limit that was ever used, for its only key.
  [[nodiscard]] std::int64_t Left() {
    Charge charge{handles_.begin()->second, last_key_, Cost{0}};
    Decision decision;
    store_->DecideEach(Operation::kPeek, {&charge, 1}, {&decision, 1}, clock_.Now());
    return decision.remaining;
  }

  bool is_away = false;
  int not_asked = 0;
  // The item that fails in every call whose items are decided separately, and its outcome.
  std::optional<std::pair<std::size_t, RemoteOutcome>> failed;
  // The item for which no call returns a decision.
  std::optional<std::size_t> untold;

 private:
  struct Waiting {
    RemoteCall* call;
    RemoteListener* listener;
  };

  void Finish(RemoteOutcome outcome) {
    const Waiting waiting = waiting_.front();
    if (outcome == RemoteOutcome::kDecided) Run(*waiting.call);
    waiting_.pop_front();
    waiting.listener->OnAnswer(*waiting.call, outcome);
  }

  void Run(RemoteCall& call) {
    std::vector<std::string> keys;
    std::vector<Charge> charges;
    std::vector<Enforcement> enforcements;
    std::vector<Cost> min_remaining;
    for (const RemoteItem& item : call.items) {
      keys.emplace_back(sizeof(FleetKey), '\0');
      std::memcpy(keys.back().data(), &item.key, sizeof(FleetKey));
    }
    for (std::size_t i = 0; i < call.items.size(); ++i) {
      const RemoteItem& item = call.items[i];
      charges.push_back({HandleOf(*item.terms), keys[i], item.cost});
      enforcements.push_back(item.enforcement);
      min_remaining.push_back(item.min_remaining);
    }
    last_key_ = keys.back();
    call.decisions.resize(call.items.size());
    call.decided_at = clock_.Now();
    if (call.operation == Operation::kCheck) {
      const Request request{charges, enforcements, min_remaining, call.charge_mode};
      store_->Decide({&request, 1}, call.decisions, call.decided_at);
    } else {
      store_->DecideEach(call.operation, charges, call.decisions, call.decided_at);
    }
    call.outcomes.clear();
    if (failed && call.operation != Operation::kCheck) {
      call.outcomes.assign(call.items.size(), RemoteOutcome::kDecided);
      call.outcomes[failed->first] = failed->second;
      call.decisions[failed->first] = {};
    }
    if (!untold) return;
    call.decisions[*untold] = {
        .source = Source::kFallback, .limit = kNoUnits, .remaining = kNoUnits};
  }

  LimitHandle HandleOf(const RemoteTerms& terms) {
    const auto known = handles_.find(&terms);
    if (known != handles_.end()) return known->second;
    const std::string name = std::to_string(handles_.size());
    const LimitHandle handle = store_->Add(name, terms.limit(), clock_.Now()).value();
    handles_.emplace(&terms, handle);
    return handle;
  }

  Clock& clock_;
  std::unique_ptr<MemoryStore> store_ = MemoryStore::Create({.seed = {5, 6}}).value();
  std::map<const RemoteTerms*, LimitHandle> handles_;
  std::deque<Waiting> waiting_;
  std::string last_key_;
};

}  // namespace sluice::testing
