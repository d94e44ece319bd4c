// ProxySession: a connection that begins with a PROXY protocol header.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>

#include "net/loop/wrapping_session.h"

namespace sluice {

// Strips the header and replaces the peer by the client that it names.
//
// Thread safety and ownership: as WrappingSession.
//
// Invariants, besides those of WrappingSession
//   (1) A peer that is not a trusted proxy, or that sends no valid header, is closed without a
//       reply, because its protocol is unknown.
//   (2) A client whose address has reached its maximum of connections is closed without a reply,
//       as if it had connected directly.
//   (3) The inner session sees no bytes before the header is complete.
class ProxySession final : public WrappingSession {
 public:
  explicit ProxySession(const SessionParts& parts)
      : WrappingSession(parts), admit_client_(parts.admit_client) {}

  std::size_t Receive(std::string_view unread) override;

 private:
  std::unique_ptr<Session> MakeInner(std::string_view bytes) override;
  void Wrap(std::string& said) override;
  void SayGoodbye() override {}

  // Reads the header. Returns its length in bytes; 0 if it is incomplete or was rejected.
  std::size_t ReadHeader(std::string_view unread);

  AdmitClient admit_client_;
  bool header_read_ = false;
};

}  // namespace sluice
