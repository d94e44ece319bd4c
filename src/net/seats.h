// Seats: how many connections a server has, and whose they are.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <limits>
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

// Every connection has a seat, so that the bounds on connections hold.
//
// Thread safety: any thread. Ownership: outlives its seats.
//
// Invariants
//   (1) Clients have at most Bounds::connections, operators Bounds::operator_connections; neither
//       take any from the others.
//   (2) Of the clients one address has at most Bounds::address_connections. Of IPv6 that is one
//       network of 64 bits, since whoever has one address there has all of them. Whoever is on this
//       machine is not counted: there the proxy is that all come through.
//   (3) A connection is chosen to make room for another only while it waits for its peer. Among
//       these it is one of the address that has the most connections, and the one that has waited
//       longest, so that a flood costs nobody else a connection. Those from this machine are chosen
//       only if there is no other.
class Seats {
 private:
  // What the others may know of a connection.
  struct Record {
    static constexpr std::int64_t kBusy = std::numeric_limits<std::int64_t>::max();

    std::uint64_t id = 0;
    Audience audience = Audience::kClients;
    std::string host{};  // empty where it is not counted
    std::atomic<std::int64_t> waits_since{kBusy};
    std::atomic<bool> leaves{false};  // it was chosen to make room, and may not have heard of it
  };
  using Records = std::list<Record>;

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

    // Says since when the connection has been waiting for its peer to send a request; nothing if it
    // is busy. Until it is first called the connection counts as busy.
    void SetWaiting(std::optional<Nanos> since) {
      // Relaxed: a choice by an old value is checked by the connection before it goes.
      record_->waits_since.store(since ? since->count() : Record::kBusy, std::memory_order_relaxed);
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
        address_most_(bounds.address_connections) {}
  Seats(const Seats&) = delete;
  Seats& operator=(const Seats&) = delete;

  // Whether there is any. One thread at a time asks and takes.
  [[nodiscard]] bool HasRoom(Audience audience) const;

  // None where there is no room, or the address has all that it gets. It is that of a Peer.
  std::optional<Seat> Take(Audience audience, std::string_view address);

  // Chooses up to `count` connections that are to make room, by invariant (3). Returns the ids of
  // their seats; none while one that was chosen before has neither gone nor called SetWaiting.
  std::vector<std::uint64_t> ChooseToLeave(Audience audience, std::size_t count);

  // Those that are taken.
  [[nodiscard]] std::size_t count(Audience audience) const;

 private:
  static constexpr std::size_t IndexOf(Audience audience) {
    return static_cast<std::size_t>(audience);
  }
  void GiveBack(Records::iterator record);
  // Of this host; 0 where it is not counted. REQUIRES: mutex_ is held.
  [[nodiscard]] std::size_t CountOf(const std::string& host) const;

  const std::array<std::size_t, 2> most_;
  const std::size_t address_most_;
  mutable std::mutex mutex_;
  std::array<std::size_t, 2> taken_{};
  std::unordered_map<std::string, std::size_t> by_host_;
  Records records_;
  std::uint64_t last_id_ = 0;
};

}  // namespace sluice
