// Seats: how many connections a server has, and whose they are.
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

#include "net/bounds.h"
#include "sluice/time.h"

namespace sluice {

// Who a listener is for.
enum class Audience : std::uint8_t { kClients, kOperators };

// Who is at the other end of a connection that was accepted.
enum class PeerKind : std::uint8_t {
  kClient,
  kTrustedProxy,  // one that will name the client by a PROXY header
};

// What a connection waits for, as far as that decides whether it may be evicted.
enum class ConnectionWait : std::uint8_t {
  kNone,      // for us: a request is being decided
  kRequest,   // for the peer to begin a request
  kHead,      // for the rest of a request's head, or for the first byte of the connection
  kTransfer,  // for the rest of a body, or for the peer to read a reply
};

// Every connection has a seat, so that the bounds on connections hold.
//
// Thread safety: any thread. Ownership: outlives its seats.
//
// Invariants
//   (1) Clients have at most Bounds::connections, operators Bounds::operator_connections; neither
//       take any from the others.
//   (2) A client address has at most Bounds::address_connections. For IPv6 the address is the /64
//       network, because one client usually has all of it. Connections from this machine are not
//       bounded this way, because a local proxy carries the requests of everybody; nor are those
//       of a trusted proxy until its PROXY header has named the client (Seat::MoveTo).
//   (3) A connection may be evicted to make room for another only while it waits for its peer. One
//       that waits for a body, or for its peer to read, may be evicted only if its address has more
//       than its share: what each address would have if one more address came.
//   (4) The address that has the most connections loses some first, so that a flood costs nobody
//       else a connection. This machine comes last. Of the connections of that address the more
//       numerous kind goes, idle connections or unfinished requests, and of these the one that has
//       waited longest. At most half of them are chosen at once.
class Seats {
 private:
  // Numbers of connections, by what they are counted under: empty for those from this machine.
  using Addresses = std::unordered_map<std::string, std::size_t>;

  // What other threads may know of a connection.
  struct Record {
    std::uint64_t id = 0;
    Audience audience = Audience::kClients;
    Addresses::value_type* address = nullptr;  // not null; guarded by mutex_
    std::atomic<ConnectionWait> wait{ConnectionWait::kNone};
    std::atomic<std::int64_t> waits_since{0};
    std::atomic<bool> leaves{false};  // it was chosen to make room, and may not have heard of it
  };
  using Records = std::list<Record>;

  // A connection that may be evicted.
  struct Candidate {
    std::int64_t since = 0;
    Record* record = nullptr;
  };

 public:
  // That of one connection, which gives it back at its end. Movable.
  class Seat {
   public:
    Seat(const Seat&) = delete;
    Seat& operator=(const Seat&) = delete;
    Seat(Seat&& other) noexcept
        : seats_(std::exchange(other.seats_, nullptr)), record_(other.record_) {}
    Seat& operator=(Seat&&) = delete;
    ~Seat() {
      if (seats_ != nullptr) seats_->GiveBack(record_);
    }

    [[nodiscard]] Audience audience() const { return record_->audience; }
    // A number that no other seat has had.
    [[nodiscard]] std::uint64_t id() const { return record_->id; }

    // Counts the connection to the address of the client that its proxy has named. Returns false if
    // that address has all that it may; then nothing changes.
    bool MoveTo(std::string_view address) { return seats_->Move(*record_, address); }

    // Tells what the connection waits for, and since when. Until the first call that is kNone.
    void SetWaiting(ConnectionWait wait, Nanos since) {
      // Relaxed: the connection checks a choice that was made by an old value before it leaves.
      record_->wait.store(wait, std::memory_order_relaxed);
      record_->waits_since.store(since.count(), std::memory_order_relaxed);
      record_->leaves.store(false, std::memory_order_relaxed);
    }

   private:
    friend class Seats;
    Seat(Seats& seats, Records::iterator record) : seats_(&seats), record_(record) {}

    Seats* seats_;
    Records::iterator record_;
  };

  explicit Seats(const Bounds& bounds)
      : most_{bounds.connections, bounds.operator_connections},
        max_per_address_(bounds.address_connections) {}
  Seats(const Seats&) = delete;
  Seats& operator=(const Seats&) = delete;

  // Whether there is any. One thread at a time asks and takes.
  [[nodiscard]] bool HasRoom(Audience audience) const;

  // None where there is no room, or the address has all that it gets. It is that of a Peer.
  std::optional<Seat> Take(Audience audience, std::string_view address,
                           PeerKind kind = PeerKind::kClient);

  // Chooses at most `max_count` connections to evict, by invariants (3) and (4). Returns the ids of
  // their seats; none while one that was chosen before has neither gone nor called SetWaiting.
  std::vector<std::uint64_t> ChooseToLeave(Audience audience, std::size_t max_count);

  // Those that are taken.
  [[nodiscard]] std::size_t count(Audience audience) const;

 private:
  static constexpr std::size_t IndexOf(Audience audience) {
    return static_cast<std::size_t>(audience);
  }
  void GiveBack(Records::iterator record);
  bool Move(Record& record, std::string_view address);
  // Counts one more connection under `key`. Null if there are `max_count`. REQUIRES: mutex_ is
  // held, as for those below.
  Addresses::value_type* Count(Audience audience, const std::string& key, std::size_t max_count);
  // Returns how many connections there may be under `key`.
  [[nodiscard]] std::size_t MaxCountOf(Audience audience, const std::string& key) const;
  void Uncount(Audience audience, Addresses::value_type& address);
  // Marks the candidates that have waited longest, by invariant (4), and returns their ids.
  static std::vector<std::uint64_t> Choose(std::vector<Candidate>& candidates,
                                           std::size_t max_count);
  // Returns the share of invariant (3).
  [[nodiscard]] std::size_t ShareOf(Audience audience) const;

  const std::array<std::size_t, 2> most_;
  const std::size_t max_per_address_;
  mutable std::mutex mutex_;
  std::array<std::size_t, 2> taken_{};
  std::array<Addresses, 2> addresses_;
  Records records_;
  std::uint64_t last_id_ = 0;
};

}  // namespace sluice
