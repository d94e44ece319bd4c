// Nearby: what a node knows of keys that a remote keeps.
#pragma once

#include <cstdint>

#include "sluice/decision.h"
#include "sluice/time.h"
#include "store/remote.h"

namespace sluice {

// How what is known here is used.
enum class Nearness : std::uint8_t {
  kRefusals,  // known refusals only: every unit is taken in the remote
  kLeased,    // units are taken in advance and spent here
  kEventual,  // own counts and those last known of all others
};

// Answers for a remote where it can: leased units, counts that are synchronised, keys that are
// known to be empty. It hears by itself what the remote decides.
//
// Thread safety: one for each worker, called on its thread alone. What is known may be shared.
class Nearby {
 public:
  enum class Answer : std::uint8_t {
    kDecided,  // taken, or refused
    kUnknown,  // the remote is to be asked
  };

  Nearby() = default;
  Nearby(const Nearby&) = delete;
  Nearby& operator=(const Nearby&) = delete;
  virtual ~Nearby() = default;

  // Takes the cost of a check. Never of limits with count_refused, waits or permits: those are
  // kUnknown, always.
  [[nodiscard]] virtual Answer Take(const RemoteItem& item, Nearness nearness, Time now,
                                    Decision& decision) = 0;

  // A charge that was taken here.
  struct Hold {
    Nearness nearness = Nearness::kRefusals;
    Time since{};  // the time that Take was told
  };
  // Its request does not go ahead. The decision becomes what is left then. Nothing is given back
  // where its window is over, or the key was reset since.
  virtual void GiveBack(const RemoteItem& item, const Hold& hold, Time now, Decision& decision) = 0;

  // How long `remaining` of a decision that was made here stays what it is; 0 where that is not
  // known.
  [[nodiscard]] virtual Nanos UntilMore(const RemoteItem& /*item*/, const Decision& /*decision*/,
                                        Time /*now*/) {
    return Nanos{0};
  }

  // A refund that a caller asks for. Applies it here where units of the key are known that the
  // remote has not heard of: there it would find nothing to give back. False: nothing was done, and
  // the remote is to be asked. Forget is called first.
  [[nodiscard]] virtual bool Refund(const RemoteItem& item, Nearness nearness, Time now,
                                    Decision& decision) = 0;

  // The remote is about to be asked for a kReset or a kRefund of the key. After a refund it may
  // have more left than is known; after a reset nothing that is known of it is so any longer.
  virtual void Forget(const FleetKey& key, Operation operation) = 0;
};

}  // namespace sluice
