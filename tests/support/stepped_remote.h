// SteppedRemote: a remote in this process that answers when it is told to.
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
#include "store/remote.h"
#include "support/fake_clock.h"

namespace sluice::testing {

// Binds every limit, but those of `refused_algorithm`.
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

// Decides with a memory store of its own, at the time of a clock, when a call's turn comes.
class SteppedRemote final : public Remote {
 public:
  explicit SteppedRemote(Clock& clock) : clock_(clock) {}

  [[nodiscard]] bool Decide(RemoteCall& call, RemoteListener& listener) override {
    if (is_away) return false;
    waiting_.push_back({&call, &listener});
    return true;
  }

  void OnNotAsked() override { ++not_asked; }

  // Decides the oldest call.
  void Answer() { Finish(RemoteFate::kDecided); }
  // The oldest call has failed.
  void Fail(RemoteFate fate) { Finish(fate); }
  void PassDeadline() { waiting_.front().listener->OnOverdue(*waiting_.front().call); }

  [[nodiscard]] std::size_t waiting() const { return waiting_.size(); }
  [[nodiscard]] const RemoteCall& oldest() const { return *waiting_.front().call; }
  // Units left of the only limit that was ever asked for, and its only key.
  [[nodiscard]] std::int64_t Left() {
    Charge charge{handles_.begin()->second, last_key_, Cost{0}};
    Decision decision;
    store_->DecideEach(Operation::kPeek, {&charge, 1}, {&decision, 1}, clock_.Now());
    return decision.remaining;
  }

  bool is_away = false;
  int not_asked = 0;
  // The item of every call that is not on its own decided, and why.
  std::optional<std::pair<std::size_t, RemoteFate>> failed;
  // The decision of every call that it cannot tell.
  std::optional<std::size_t> untold;

 private:
  struct Waiting {
    RemoteCall* call;
    RemoteListener* listener;
  };

  void Finish(RemoteFate fate) {
    const Waiting waiting = waiting_.front();
    if (fate == RemoteFate::kDecided) Run(*waiting.call);
    waiting_.pop_front();
    waiting.listener->OnAnswer(*waiting.call, fate);
  }

  void Run(RemoteCall& call) {
    std::vector<std::string> keys;
    std::vector<Charge> charges;
    std::vector<Veto> vetoes;
    std::vector<Cost> left_alone;
    for (const RemoteItem& item : call.items) {
      keys.emplace_back(sizeof(FleetKey), '\0');
      std::memcpy(keys.back().data(), &item.key, sizeof(FleetKey));
    }
    for (std::size_t i = 0; i < call.items.size(); ++i) {
      const RemoteItem& item = call.items[i];
      charges.push_back({HandleOf(*item.terms), keys[i], item.cost});
      vetoes.push_back(item.veto);
      left_alone.push_back(item.left_alone);
    }
    last_key_ = keys.back();
    call.decisions.resize(call.items.size());
    call.decided_at = clock_.Now();
    if (call.operation == Operation::kCheck) {
      const Request request{charges, vetoes, left_alone, call.taking};
      store_->Decide({&request, 1}, call.decisions, call.decided_at);
    } else {
      store_->DecideEach(call.operation, charges, call.decisions, call.decided_at);
    }
    call.fates.clear();
    if (failed && call.operation != Operation::kCheck) {
      call.fates.assign(call.items.size(), RemoteFate::kDecided);
      call.fates[failed->first] = failed->second;
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
