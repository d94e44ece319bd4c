// A connection to a listener with a ListenerPolicy, without sockets. Records rejections.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "net/loop/choose_session.h"
#include "unit/net/scripted_service.h"

namespace sluice {

class EnteredConnection {
 public:
  struct Away {
    ConnectionRejection::Cause cause;
    std::string address;
    std::string why;
  };

  EnteredConnection() {
    auto made = std::make_unique<ScriptedService>();
    service = made.get();
    services.http = std::move(made);
    services.entrance.report = [this](const ConnectionRejection& away) {
      turned_away.push_back({away.cause, away.peer.address, std::string(away.why)});
    };
    peer.address = "192.0.2.9";
    peer.port = 99;
  }

  // Passes bytes to the session as Connection does.
  void Receive(std::string_view bytes) {
    unread.append(bytes);
    if (session == nullptr) {
      session = ChooseSession(unread, services, peer, bounds, admit_client);
      if (session == nullptr) return;
      session->on_late_reply = [this] { ++late_replies; };
    }
    unread.erase(0, session->Receive(unread));
  }

  // Takes all output, resuming the session while it is paused, as Connection does.
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
