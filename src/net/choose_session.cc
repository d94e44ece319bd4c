#include "net/choose_session.h"

#include "net/http1_session.h"
#include "net/http2_session.h"
#include "net/proxy_session.h"
#include "net/resp_session.h"
#include "net/tls_session.h"

namespace sluice {
namespace {

// The preface begins with these, and no method of HTTP/1 does.
constexpr std::string_view kHttp2 = "PRI ";

}  // namespace

std::unique_ptr<Session> ChooseSession(std::string_view bytes, Services& services, const Peer& peer,
                                       const Bounds& bounds) {
  const SessionParts parts{services, peer, bounds};
  if (services.entrance.is_proxy) return std::make_unique<ProxySession>(parts);
  return ChooseBehindProxy(bytes, parts);
}

std::unique_ptr<Session> ChooseBehindProxy(std::string_view bytes, const SessionParts& parts) {
  const std::shared_ptr<const TlsSource>& tls = parts.services.entrance.tls;
  if (tls != nullptr) return std::make_unique<TlsSession>(tls->in_force(), parts);
  return ChooseByBytes(bytes, parts);
}

std::unique_ptr<Session> ChooseByBytes(std::string_view bytes, const SessionParts& parts) {
  if (parts.services.resp != nullptr && bytes.starts_with('*')) {
    return MakeSession(Protocol::kResp, parts);
  }
  if (bytes.size() < kHttp2.size() && kHttp2.starts_with(bytes)) return nullptr;
  return MakeSession(bytes.starts_with(kHttp2) ? Protocol::kHttp2 : Protocol::kHttp1, parts);
}

std::unique_ptr<Session> MakeSession(Protocol protocol, const SessionParts& parts) {
  Services& services = parts.services;
  switch (protocol) {
    case Protocol::kHttp1:
      break;
    case Protocol::kHttp2:
      return std::make_unique<Http2Session>(*services.http, parts.peer, parts.bounds);
    case Protocol::kResp:
      return std::make_unique<RespSession>(*services.resp, parts.peer, parts.bounds);
  }
  return std::make_unique<Http1Session>(*services.http, parts.peer, parts.bounds);
}

}  // namespace sluice
