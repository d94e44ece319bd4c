// ProxySession: a connection that begins with a header of the PROXY protocol.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>

#include "net/outer_session.h"

namespace sluice {

// Takes off the header, and from then on the peer is whom it tells.
//
// Thread safety and ownership: as OuterSession.
//
// Invariants, beside those of OuterSession
//   (1) A peer whose header is not believed, or who sends none, is turned away without a word: what
//       it speaks is not known.
//   (2) A client whose address has all connections that it may is closed without a word, too, as it
//       would be if it had connected itself.
//   (3) Nothing of the bytes after the header is seen before the whole header is.
class ProxySession final : public OuterSession {
 public:
  explicit ProxySession(const SessionParts& parts)
      : OuterSession(parts), admit_client_(parts.admit_client) {}

  std::size_t Receive(std::string_view unread) override;

 private:
  std::unique_ptr<Session> MakeInner(std::string_view bytes) override;
  void Wrap(std::string& said) override;
  void SayGoodbye() override {}

  // Reads the header. Returns its bytes, 0 while it is not whole or if it is none.
  std::size_t ReadHeader(std::string_view unread);

  AdmitClient admit_client_;
  bool header_read_ = false;
};

}  // namespace sluice
