// RedisLeg: one command of a call, until redis has decided what it asks.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "core/sole_writer_count.h"
#include "remote/first_terms.h"
#include "remote/key_state.h"
#include "remote/redis_client.h"
#include "remote/redis_command.h"
#include "remote/script_arguments.h"
#include "remote/script_reply.h"
#include "remote/script_request.h"
#include "sluice/clock.h"
#include "sluice/decision.h"
#include "store/remote.h"

namespace sluice {

// Thread safety: the remote's thread adds, any reads.
struct RedisRemoteCounts {
  SoleWriterCount decided;  // calls, by fate
  SoleWriterCount not_done;
  SoleWriterCount unknown;
  SoleWriterCount not_taken;       // that redis could not be asked about
  SoleWriterCount given_back;      // groups of charges whose request was refused elsewhere
  SoleWriterCount not_given_back;  // whose give-back failed: their cost stays charged
  SoleWriterCount new_terms;       // replies by keys that had not met the terms
  SoleWriterCount other_time;      // replies by a clock that windows did not fit
  SoleWriterCount bad_replies;     // that are no decisions
};

// What the legs of one remote share.
struct RedisLegParts {
  RedisClient& client;
  Clock& clock;
  RedisRemoteCounts counts{};
  // How far the clock of Redis was ahead of ours when it last answered.
  Nanos ahead{0};
  ScriptArguments room{};
  FirstTerms first_terms{};
};

// Sends a script; again where the time in redis is another one, and after keys have met its terms.
//
// Thread safety: that of the client. Ownership: the caller's, but for the limits, which are
// others'. While it is under way it is neither changed nor freed. Use it again: memory is kept.
//
// Invariants
//   (1) Its owner is told once that it has ended, never while Send runs.
//   (2) What may have had an effect is not sent again.
//   (3) It is sent at most kTriesMost times.
class RedisLeg final : private RedisListener {
 public:
  static constexpr std::uint8_t kTriesMost = 8;
  // How long what must be done waits, where the deadline of the call is past.
  static constexpr Nanos kPatience = std::chrono::seconds{1};

  class Owner {
   public:
    Owner() = default;
    Owner(const Owner&) = delete;
    Owner& operator=(const Owner&) = delete;

    virtual void OnLegOverdue() = 0;
    // It may be sent again, or freed.
    virtual void OnLegEnded(RedisLeg& leg) = 0;

   protected:
    ~Owner() = default;
  };

  // Both outlive it. `place` is the owner's number for it.
  RedisLeg(RedisLegParts& parts, Owner& owner, std::size_t place)
      : parts_(parts), owner_(owner), place_(place) {}

  // What it asks; to be set before it is sent.
  ScriptCall script;
  std::uint16_t slot = 0;
  bool passes_breaker = false;

  [[nodiscard]] std::size_t place() const { return place_; }

  // False if it was not taken.
  [[nodiscard]] bool Send(Time deadline);

  // Once it has ended. kNotDone: it has no effect.
  [[nodiscard]] RemoteFate fate() const { return fate_; }
  // It was not sent, because the deadline came first.
  [[nodiscard]] bool was_dropped() const { return was_dropped_; }

  // kDecided: of each charge of the script, and the state of each key since then.
  [[nodiscard]] std::span<const Decision> decisions() const { return decisions_; }
  [[nodiscard]] std::span<KeyState> states() { return states_.keys; }
  // Until when a charge can be given back.
  [[nodiscard]] ReturnBound BoundOf(std::size_t charge) const;
  // Whether some key was charged under the terms of other nodes, too.
  [[nodiscard]] bool has_firsts() const { return !states_.bounds.empty(); }
  // How long `remaining` of a charge's decision stays what it is; 0 where the decision says it.
  [[nodiscard]] Nanos UntilMoreOf(std::size_t charge);
  [[nodiscard]] bool goes_ahead() const { return goes_ahead_; }
  [[nodiscard]] Time decided_at() const { return decided_at_; }
  // By our clock, no later than the command that decided it was sent.
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
  void End(RemoteFate fate);

  RedisLegParts& parts_;
  Owner& owner_;
  const std::size_t place_;
  RedisCommand command_;
  Time about_{};
  Time sent_at_{};
  std::uint8_t tries_ = 0;
  bool is_meeting_ = false;
  bool was_dropped_ = false;
  RemoteFate fate_ = RemoteFate::kNotDone;
  bool goes_ahead_ = false;
  Time decided_at_{};
  std::vector<Decision> decisions_;
  ScriptStates states_;
};

}  // namespace sluice
