// A TLS client connected to a TLS listener without sockets.
#pragma once

#include <algorithm>
#include <cstddef>
#include <memory>
#include <string>
#include <string_view>

#include "net/tls/tls_context.h"
#include "net/tls/tls_source.h"
#include "unit/net/loop/entered_connection.h"
#include "unit/net/tls/tls_client.h"

namespace sluice {

inline std::shared_ptr<TlsSource> MakeTlsSource(const TlsTexts& texts, const TlsOptions& options) {
  auto made = TlsContext::Make(texts, options);
  return made.ok() ? std::make_shared<TlsSource>(made.value()) : nullptr;
}

class TlsPair {
 public:
  TlsPair(const std::shared_ptr<const TlsSource>& tls, const TlsClient::Options& options)
      : client(options) {
    server.services.entrance.tls = tls;
  }

  // Passes bytes both ways, at most `part` at a time, until neither side has output.
  void Exchange(std::size_t part = 1'000'000) {
    for (;;) {
      const std::string asked = client.TakeOutput();
      for (std::size_t at = 0; at < asked.size(); at += part) {
        server.Receive(std::string_view(asked).substr(at, part));
      }
      const std::string said = server.TakeOutput();
      for (std::size_t at = 0; at < said.size(); at += part) {
        client.Receive(std::string_view(said).substr(at, part));
      }
      if (asked.empty() && said.empty()) return;
    }
  }

  // Completes the handshake, sends `plaintext`, and returns the decrypted reply.
  std::string Ask(std::string_view plaintext) {
    Exchange();
    client.heard.clear();
    client.Say(plaintext);
    Exchange();
    return client.heard;
  }

  TlsClient client;
  EnteredConnection server;
};

}  // namespace sluice
