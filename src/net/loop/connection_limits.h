// ConnectionLimits: bounds the connections of a server, in total and per address, and chooses which
// to evict.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <list>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "net/loop/bounds.h"
#include "sluice/time.h"

namespace sluice {

// The kind of user that a listener is for.
enum class Audience : std::uint8_t { kClients, kOperators };

// The kind of peer of an accepted connection.
enum class PeerKind : std::uint8_t {
  kClient,
  kTrustedProxy,  // its PROXY header will name the client
};

// The event that a connection waits for, which decides whether it may be evicted.
enum class ConnectionWait : std::uint8_t {
  kNone,      // none from the peer: a request is being decided
  kRequest,   // the peer has to begin a request
  kHead,      // the rest of a request's head, or the first byte of the connection
  kTransfer,  // the rest of a body, or the peer has to read a reply
};

// Hands out one slot per connection. The acceptors take slots and choose evictions on the first
// worker's thread; connections update and return their slots on their own workers' threads.
//
// Thread safety: any thread. Ownership: must outlive its slots.
//
// Invariants
//   (1) Clients have at most Bounds::connections, operators Bounds::operator_connections. The two
//       are counted separately.
//   (2) A client address has at most Bounds::address_connections. IPv6 addresses are counted per
//       /64 network, because one client usually has all of it. Connections from this machine are
//       exempt, because a local proxy carries everybody's requests; so are those of a trusted proxy
//       until its PROXY header has named the client (Slot::MoveTo).
//   (3) A connection may be evicted only while it waits for its peer. One in a transfer may be
//       evicted only if its address has more than its fair share: the maximum divided by the number
//       of addresses plus one.
//   (4) The address with the most connections loses some first, so that a flood costs others
//       nothing. This machine comes last. Within the address, the more numerous kind is evicted,
//       idle connections or unfinished requests, longest waiting first. At most half of that kind
//       are chosen at once.
class ConnectionLimits {
 private:
  // Connection counts by address key; the empty key is this machine.
  using Addresses = std::unordered_map<std::string, std::size_t>;

  // The data of a slot that other threads may read.
  struct Record {
    std::uint64_t id = 0;
    Audience audience = Audience::kClients;
    Addresses::value_type* address = nullptr;  // not null; guarded by mutex_
    std::atomic<ConnectionWait> wait{ConnectionWait::kNone};
    std::atomic<std::int64_t> waits_since{0};
    std::atomic<bool> leaves{false};  // chosen for eviction, and has not reacted yet
  };
  using Records = std::list<Record>;

  // A connection that may be evicted.
  struct Candidate {
    std::int64_t since = 0;
    Record* record = nullptr;
  };

 public:
  // The slot of one connection, returned by the destructor. Movable.
  class Slot {
   public:
    Slot(const Slot&) = delete;
    Slot& operator=(const Slot&) = delete;
    Slot(Slot&& other) noexcept
        : limits_(std::exchange(other.limits_, nullptr)), record_(other.record_) {}
    Slot& operator=(Slot&&) = delete;
    ~Slot() {
      if (limits_ != nullptr) limits_->GiveBack(record_);
    }

    [[nodiscard]] Audience audience() const { return record_->audience; }
    // Returns an id that is never reused.
    [[nodiscard]] std::uint64_t id() const { return record_->id; }

    // Counts the connection to the client address from its PROXY header from now on. Returns false,
    // and changes nothing, if that address has reached its maximum.
    bool MoveTo(std::string_view address) { return limits_->Move(*record_, address); }

    // Sets what the connection waits for, and since when; kNone before the first call. Clears an
    // earlier choice to evict it.
    void SetWaiting(ConnectionWait wait, Nanos since) {
      // Relaxed, because a connection that was chosen by an old value checks again before it
      // closes.
      record_->wait.store(wait, std::memory_order_relaxed);
      record_->waits_since.store(since.count(), std::memory_order_relaxed);
      record_->leaves.store(false, std::memory_order_relaxed);
    }

   private:
    friend class ConnectionLimits;
    Slot(ConnectionLimits& slots, Records::iterator record) : limits_(&slots), record_(record) {}

    ConnectionLimits* limits_;
    Records::iterator record_;
  };

  explicit ConnectionLimits(const Bounds& bounds)
      : max_{bounds.connections, bounds.operator_connections},
        max_per_address_(bounds.address_connections) {}
  ConnectionLimits(const ConnectionLimits&) = delete;
  ConnectionLimits& operator=(const ConnectionLimits&) = delete;

  // Returns whether Take would find a free slot. The answer stays true only if one thread at a time
  // calls HasRoom and Take.
  [[nodiscard]] bool HasRoom(Audience audience) const;

  // Returns a slot, or none if all are taken or the address has reached its maximum. `address` is
  // in the form of Peer::address.
  std::optional<Slot> Take(Audience audience, std::string_view address,
                           PeerKind kind = PeerKind::kClient);

  // Chooses at most `max_count` connections to evict, by invariants (3) and (4), and returns the
  // ids of their slots. Returns none while a connection chosen before has neither closed nor called
  // SetWaiting.
  std::vector<std::uint64_t> ChooseToLeave(Audience audience, std::size_t max_count);

  // Returns the number of slots in use.
  [[nodiscard]] std::size_t count(Audience audience) const;

 private:
  static constexpr std::size_t IndexOf(Audience audience) {
    return static_cast<std::size_t>(audience);
  }
  void GiveBack(Records::iterator record);
  bool Move(Record& record, std::string_view address);
  // Counts one more connection under `key`. Returns null if there are `max_count` already.
  // REQUIRES: mutex_ is held, as for Uncount, Choose and ShareOf.
  Addresses::value_type* Count(Audience audience, const std::string& key, std::size_t max_count);
  // Returns the maximum number of connections under `key`.
  [[nodiscard]] std::size_t MaxCountOf(Audience audience, const std::string& key) const;
  void Uncount(Audience audience, Addresses::value_type& address);
  // Marks the candidates that have waited longest, at most half of them, and returns their ids.
  static std::vector<std::uint64_t> Choose(std::vector<Candidate>& candidates,
                                           std::size_t max_count);
  // Returns the fair share per address, see invariant (3).
  [[nodiscard]] std::size_t ShareOf(Audience audience) const;

  const std::array<std::size_t, 2> max_;
  const std::size_t max_per_address_;
  mutable std::mutex mutex_;
  std::array<std::size_t, 2> taken_{};
  std::array<Addresses, 2> addresses_;
  Records records_;
  std::uint64_t last_id_ = 0;
};

}  // namespace sluice
