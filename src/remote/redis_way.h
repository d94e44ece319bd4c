// RedisWay: a call on its way to redis.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "remote/redis_leg.h"
#include "remote/redis_remote.h"
#include "remote/script_request.h"
#include "store/remote.h"

namespace sluice {

// Divides the items of a call among commands, and puts their answers together (RedisRemote says
// how).
//
// Thread safety: that of the remote. Kept with the call, for the next use of it.
class RedisWay final : public RemoteCall::Way, private RedisLeg::Owner {
 public:
  // The parts outlive it.
  explicit RedisWay(RedisRemoteParts& parts) : parts_(parts) {}

  [[nodiscard]] bool IsOf(const RedisRemoteParts& parts) const { return &parts == &parts_; }

  // As Remote::Decide.
  [[nodiscard]] bool Begin(RemoteCall& call, RemoteListener& listener);

 private:
  // What a leg is for.
  enum class Task : std::uint8_t {
    kEach,      // one item on its own
    kAsk,       // a group of a request that takes nothing
    kCharge,    // a group of a request that may be taken
    kRest,      // a group that is only asked, since another has refused
    kGiveBack,  // what a group took
  };

  struct Leg {
    Leg(RedisWay& way, std::size_t place) : leg(way.parts_.legs, way, place) {}

    RedisLeg leg;
    Task task = Task::kEach;
    bool was_sent_again = false;
    // The item of the call of each charge; of a give-back the item of the script of `source`.
    std::vector<std::size_t> items;
    Leg* source = nullptr;         // of a give-back: the leg that took it
    std::uint64_t given_back = 0;  // a bit for each item of the script
  };

  // Items of one slot: some of places_.
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
  void OnLegEnded(RedisLeg& ended) override;

  // Before anything is sent.
  void WriteNames();
  [[nodiscard]] std::string_view NameOf(std::size_t item) const;
  [[nodiscard]] std::uint16_t SlotFor(std::size_t item) const;
  [[nodiscard]] RemoteCharge ChargeOf(std::size_t item) const;
  void MakeGroups();

  Leg& NextLeg(Task task, std::uint16_t slot);
  // Whether it is under way now; else it has failed.
  bool Send(Leg& leg, Time deadline);
  [[nodiscard]] bool BeginEach();
  [[nodiscard]] bool BeginAsking();
  bool SendGroup(Group& group, Task task, Time deadline);
  bool GiveBack(const Group& group);
  [[nodiscard]] Veto VetoFor(std::size_t item, const Group& group) const;
  [[nodiscard]] Time NextDeadline();

  void TakeDecisions(Leg& leg);
  void TakeGiveBack(Leg& leg);
  void LeaveUntold(const Leg& leg);
  void TakeFailure(const Leg& leg);
  void NoteFate(const Leg& leg);
  // Goes on after a group that was charged, or was not.
  void GoOn(const Leg& leg);
  void TakeNothingMore();
  void Finish();
  void Observe();

  RedisRemoteParts& parts_;
  RemoteCall* call_ = nullptr;
  RemoteListener* listener_ = nullptr;

  std::string names_;  // of all items, of equal size
  std::vector<Place> places_;
  std::vector<Group> groups_;
  std::vector<std::unique_ptr<Leg>> legs_;
  std::size_t legs_used_ = 0;
  // Of the command that is being made.
  std::vector<RemoteCharge> charges_;
  std::vector<Veto> vetoes_;
  std::vector<Cost> left_alone_;

  std::size_t under_way_ = 0;
  std::size_t charged_ = 0;  // groups that went ahead
  std::size_t decided_ = 0;  // legs
  bool is_charging_ = false;
  bool quota_passed_ = false;
  bool is_overdue_ = false;
  bool has_failed_ = false;
  bool has_effect_ = false;  // something took effect and was not given back, or may have
};

}  // namespace sluice
