// RedisCall: a RemoteCall in flight to Redis.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "remote/script/redis_remote.h"
#include "remote/script/script_request.h"
#include "remote/script/slot_command.h"
#include "store/remote_store.h"

namespace sluice {

// Divides the items of a call among commands and combines their results (see RedisRemote).
//
// Thread safety: that of the RedisRemote. Kept with the call and reused.
class RedisCall final : public RemoteCall::Way, private SlotCommand::Owner {
 public:
  // `parts` must outlive it.
  explicit RedisCall(RedisRemoteParts& parts) : parts_(parts) {}

  [[nodiscard]] bool IsOf(const RedisRemoteParts& parts) const { return &parts == &parts_; }

  // Same as RemoteStore::Decide.
  [[nodiscard]] bool Begin(RemoteCall& call, RemoteListener& listener);

 private:
  // The purpose of a leg.
  enum class Task : std::uint8_t {
    kEach,      // one item on its own
    kAsk,       // a group of a request that takes nothing
    kCharge,    // a group of a request that takes its charges
    kRest,      // a group that is only read, because another group has refused
    kGiveBack,  // refunds what a group took
  };

  struct Leg {
    Leg(RedisCall& way, std::size_t place) : leg(way.parts_.legs, way, place) {}

    SlotCommand leg;
    Task task = Task::kEach;
    bool was_sent_again = false;
    // For each charge, its item of the call; for a give-back, the item of the script of `source`.
    std::vector<std::size_t> items;
    Leg* source = nullptr;         // for a give-back: the leg that it refunds
    std::uint64_t given_back = 0;  // a bit per item of the script
  };

  // Items of one slot: a range of places_.
  struct Group {
    std::size_t begin = 0;
    std::size_t end = 0;
    std::uint16_t slot = 0;
    bool has_pacer = false;
    bool has_quota = false;
    Leg* charge = nullptr;
  };
  struct Place {
    std::uint16_t slot = 0;
    std::size_t item = 0;
  };

  void OnLegOverdue() override;
  void OnLegEnded(SlotCommand& ended) override;

  // Writes the names of all keys before anything is sent.
  void WriteNames();
  [[nodiscard]] std::string_view NameOf(std::size_t item) const;
  [[nodiscard]] std::uint16_t SlotFor(std::size_t item) const;
  [[nodiscard]] RemoteCharge ChargeOf(std::size_t item) const;
  void MakeGroups();

  Leg& NextLeg(Task task, std::uint16_t slot);
  // Returns whether the leg is in flight now; otherwise it has failed.
  bool Send(Leg& leg, Time deadline);
  [[nodiscard]] bool BeginEach();
  [[nodiscard]] bool BeginAsking();
  bool SendGroup(Group& group, Task task, Time deadline);
  bool GiveBack(const Group& group);
  [[nodiscard]] Enforcement VetoFor(std::size_t item, const Group& group) const;
  [[nodiscard]] Time NextDeadline();

  void TakeDecisions(Leg& leg);
  void TakeGiveBack(Leg& leg);
  void LeaveUntold(const Leg& leg);
  void TakeFailure(const Leg& leg);
  void NoteFate(const Leg& leg);
  // Continues with the next group, or stops, after a group was charged or refused.
  void GoOn(const Leg& leg);
  void TakeNothingMore();
  void Finish();
  void Observe();

  RedisRemoteParts& parts_;
  RemoteCall* call_ = nullptr;
  RemoteListener* listener_ = nullptr;

  std::string names_;  // names of all items, of equal size
  std::vector<Place> places_;
  std::vector<Group> groups_;
  std::vector<std::unique_ptr<Leg>> legs_;
  std::size_t legs_used_ = 0;
  // Buffers for the command that is being built.
  std::vector<RemoteCharge> charges_;
  std::vector<Enforcement> enforcements_;
  std::vector<Cost> min_remaining_;

  std::size_t under_way_ = 0;
  std::size_t charged_ = 0;  // groups that were charged
  std::size_t decided_ = 0;  // legs that were decided
  bool is_charging_ = false;
  bool quota_passed_ = false;
  bool is_overdue_ = false;
  bool has_failed_ = false;
  bool has_effect_ = false;  // something took effect, or may have, and was not refunded
};

}  // namespace sluice
