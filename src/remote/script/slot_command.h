// SlotCommand: one command of a call, with retries until Redis has decided it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/sole_writer_count.h"
#include "redis/redis_client.h"
#include "redis/redis_command.h"
#include "remote/script/first_terms.h"
#include "remote/script/key_state.h"
#include "remote/script/script_arguments.h"
#include "remote/script/script_reply.h"
#include "remote/script/script_request.h"
#include "sluice/clock.h"
#include "sluice/decision.h"
#include "store/remote_store.h"

namespace sluice {

// Thread safety: only the remote's thread adds; any thread may read.
struct RedisRemoteCounts {
  // Calls, by outcome.
  SoleWriterCount decided;
  SoleWriterCount not_done;
  SoleWriterCount unknown;
  SoleWriterCount not_taken;       // calls that could not be sent to Redis
  SoleWriterCount given_back;      // refunds of charges whose request another slot refused
  SoleWriterCount not_given_back;  // such refunds that failed: their cost stays charged
  SoleWriterCount new_terms;       // replies for keys that did not know the terms
  SoleWriterCount other_time;      // replies at a time outside the calendar windows
  SoleWriterCount bad_replies;     // malformed replies
};

// Shared by the commands of one remote.
struct RedisLegParts {
  RedisClient& client;
  Clock& clock;
  RedisRemoteCounts counts{};
  // How far the clock of Redis was ahead of the local clock at the last reply.
  Nanos ahead{0};
  ScriptArguments room{};
  FirstTerms first_terms{};
};

// Sends a script. It sends it again if the time in Redis was outside the calendar windows, and
// after keys have received states for its terms.
//
// Thread safety: that of the client. Ownership: the caller's, except for the limits, which the
// script only points to. It must be neither changed nor destroyed while it is in flight. Reuse it
// to reuse its memory.
//
// Invariants
//   (1) Its owner is notified of its end exactly once, never during Send.
//   (2) A script that may have had an effect is not sent again.
//   (3) It is sent at most kMaxTries times.
class SlotCommand final : private RedisListener {
 public:
  static constexpr std::uint8_t kMaxTries = 8;
  // Timeout of work that must be done after the deadline of the call has passed.
  static constexpr Nanos kPatience = std::chrono::seconds{1};

  class Owner {
   public:
    Owner() = default;
    Owner(const Owner&) = delete;
    Owner& operator=(const Owner&) = delete;

    virtual void OnLegOverdue() = 0;
    // Called when the command has ended. It may be sent again or destroyed.
    virtual void OnLegEnded(SlotCommand& leg) = 0;

   protected:
    ~Owner() = default;
  };

  // `parts` and `owner` must outlive it. `place` is the owner's index for it.
  SlotCommand(RedisLegParts& parts, Owner& owner, std::size_t place)
      : parts_(parts), owner_(owner), place_(place) {}

  // The request; must be set before Send.
  ScriptCall script;
  std::uint16_t slot = 0;
  bool passes_breaker = false;

  [[nodiscard]] std::size_t place() const { return place_; }

  // Returns false if the command was not accepted.
  [[nodiscard]] bool Send(Time deadline);

  // Valid after the end. kNotApplied: it has no effect.
  [[nodiscard]] RemoteOutcome outcome() const { return outcome_; }
  // Returns whether it was not sent because the deadline passed first.
  [[nodiscard]] bool was_dropped() const { return was_dropped_; }

  // If kDecided: a decision per charge of the script, and the state of each key after it.
  [[nodiscard]] std::span<const Decision> decisions() const { return decisions_; }
  [[nodiscard]] std::span<KeyState> states() { return states_.keys; }
  // Returns until when a charge can be refunded.
  [[nodiscard]] ReturnBound BoundOf(std::size_t charge) const;
  // Returns whether some key was also charged under the terms of other nodes.
  [[nodiscard]] bool has_firsts() const { return !states_.bounds.empty(); }
  // Returns how long `remaining` of a charge's decision stays valid; 0 if the decision says it
  // itself.
  [[nodiscard]] Nanos UntilMoreOf(std::size_t charge);
  [[nodiscard]] bool goes_ahead() const { return goes_ahead_; }
  [[nodiscard]] Time decided_at() const { return decided_at_; }
  // By the local clock: not after the deciding command was sent.
  [[nodiscard]] Time sent_at() const { return sent_at_; }

 private:
  void OnOverdue(RedisCommand& command) override;
  void OnAnswer(RedisCommand& command, const RedisAnswer& answer) override;

  void FindFirstTerms();
  void NoteFirstTerms(std::span<const RespNode> reply);
  bool SendScript();
  void SendAgain();
  void TakeReply(std::span<const RespNode> reply);
  void Meet(std::span<const RespNode> reply);
  void End(RemoteOutcome outcome);

  RedisLegParts& parts_;
  Owner& owner_;
  const std::size_t place_;
  RedisCommand command_;
  Time about_{};
  Time sent_at_{};
  std::uint8_t tries_ = 0;
  bool is_meeting_ = false;
  bool was_dropped_ = false;
  RemoteOutcome outcome_ = RemoteOutcome::kNotApplied;
  bool goes_ahead_ = false;
  Time decided_at_{};
  std::vector<Decision> decisions_;
  ScriptStates states_;
};

}  // namespace sluice
