// A connection to a listener with an entrance, without sockets: what was turned away is remembered.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "net/choose_session.h"
#include "unit/net/scripted_service.h"

namespace sluice {

class EnteredConnection {
 public:
  struct Away {
    TurnedAway::Cause cause;
    std::string address;
    std::string why;
  };

  EnteredConnection() {
    auto made = std::make_unique<ScriptedService>();
    service = made.get();
    services.http = std::move(made);
    services.entrance.report = [this](const TurnedAway& away) {
      turned_away.push_back({away.cause, away.peer.address, std::string(away.why)});
    };
    peer.address = "192.0.2.9";
    peer.port = 99;
  }

  // As a Connection does.
  void Receive(std::string_view bytes) {
    unread.append(bytes);
    if (session == nullptr) {
      session = ChooseSession(unread, services, peer, bounds, admit_client);
      if (session == nullptr) return;
      session->on_late_reply = [this] { ++late_replies; };
    }
    unread.erase(0, session->Receive(unread));
  }

  // Likewise: what has paused goes on once its output has left.
  std::string TakeOutput() {
    std::string said;
    while (session != nullptr) {
      said += std::exchange(session->output, {});
      if (!session->paused()) break;
      Receive({});
    }
    return said;
  }

  [[nodiscard]] bool ended() const { return session != nullptr && session->ended(); }

  Bounds bounds;
  Peer peer;
  Services services;
  AdmitClient admit_client;
  ScriptedService* service = nullptr;
  std::unique_ptr<Session> session;
  std::string unread;
  std::size_t late_replies = 0;
  std::vector<Away> turned_away;
};

}  // namespace sluice
