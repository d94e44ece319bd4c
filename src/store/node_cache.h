// NodeCache: what a node knows about keys that are kept in a remote store.
#pragma once

#include <cstdint>

#include "sluice/decision.h"
#include "sluice/time.h"
#include "store/remote_store.h"

namespace sluice {

// Which local knowledge answers charges.
enum class CacheMode : std::uint8_t {
  kRefusals,  // only known refusals; every unit is taken in the remote store
  kLeased,    // units are taken in advance and spent here
  kEventual,  // own counts plus the last known counts of all other nodes
};

// Answers for a remote store if it can: from leased units, synchronized counts, or keys that are
// known to be empty. It observes the remote store's decisions itself.
//
// Thread safety: one per worker, called on its thread only. The knowledge may be shared.
class NodeCache {
 public:
  enum class Answer : std::uint8_t {
    kDecided,  // taken or refused
    kUnknown,  // ask the remote store
  };

  NodeCache() = default;
  NodeCache(const NodeCache&) = delete;
  NodeCache& operator=(const NodeCache&) = delete;
  virtual ~NodeCache() = default;

  // Takes the cost of a check. Returns kUnknown for limits with count_refused, waits or permits.
  [[nodiscard]] virtual Answer Take(const RemoteItem& item, CacheMode cache_mode, Time now,
                                    Decision& decision) = 0;

  // A charge that was taken here.
  struct Hold {
    CacheMode cache_mode = CacheMode::kRefusals;
    Time since{};  // `now` of the call to Take
  };
  // Returns a charge whose request does not go ahead. Updates the decision to what remains then.
  // Returns nothing if the charge's window has ended or the key has been reset since.
  virtual void GiveBack(const RemoteItem& item, const Hold& hold, Time now, Decision& decision) = 0;

  // Returns how long `remaining` of a decision that was made here stays the same; 0 if unknown.
  [[nodiscard]] virtual Nanos UntilMore(const RemoteItem& /*item*/, const Decision& /*decision*/,
                                        Time /*now*/) {
    return Nanos{0};
  }

  // Refunds units that a caller gives back. The refund is applied here if the node has units of the
  // key that have not been reported to the remote store, which would find nothing to give back.
  // Returns false if nothing was done; then ask the remote store. Forget is called first.
  [[nodiscard]] virtual bool Refund(const RemoteItem& item, CacheMode cache_mode, Time now,
                                    Decision& decision) = 0;

  // Called before the remote store is asked for a kReset or a kRefund of the key. After a refund
  // the key may have more left than is known; after a reset everything known about it is outdated.
  virtual void Forget(const FleetKey& key, Operation operation) = 0;
};

}  // namespace sluice
