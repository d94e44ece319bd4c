// Seats: how many connections a server has, and whose they are.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "net/bounds.h"

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
class Seats {
 public:
  // That of one connection, which gives it back at its end. Movable.
  class Seat {
   public:
    Seat(const Seat&) = delete;
    Seat& operator=(const Seat&) = delete;
    Seat(Seat&& other) noexcept
        : seats_(std::exchange(other.seats_, nullptr)),
          audience_(other.audience_),
          host_(std::move(other.host_)) {}
    Seat& operator=(Seat&&) = delete;
    ~Seat() {
      if (seats_ != nullptr) seats_->GiveBack(audience_, host_);
    }

    [[nodiscard]] Audience audience() const { return audience_; }

   private:
    friend class Seats;
    Seat(Seats& seats, Audience audience, std::string host)
        : seats_(&seats), audience_(audience), host_(std::move(host)) {}

    Seats* seats_;
    Audience audience_;
    std::string host_;  // empty where it is not counted
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

  // Those that are taken.
  [[nodiscard]] std::size_t count(Audience audience) const;

 private:
  static constexpr std::size_t IndexOf(Audience audience) {
    return static_cast<std::size_t>(audience);
  }
  void GiveBack(Audience audience, const std::string& host);

  const std::array<std::size_t, 2> most_;
  const std::size_t address_most_;
  mutable std::mutex mutex_;
  std::array<std::size_t, 2> taken_{};
  std::unordered_map<std::string, std::size_t> by_host_;
};

}  // namespace sluice
