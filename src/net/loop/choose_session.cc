#include "net/loop/choose_session.h"

#include <cstddef>
#include <utility>

#include "base/ascii.h"
#include "net/http1/http1_session.h"
#include "net/http2/http2_session.h"
#include "net/loop/proxy_session.h"
#include "net/resp/resp_session.h"
#include "net/tls/tls_session.h"
#include "wire/http2/http2_frame.h"

namespace sluice {
namespace {

// Whether the first bytes of a connection belong to a protocol; kNotYet: more bytes are needed.
enum class Match : std::uint8_t { kNo, kNotYet, kYes };

// A proxy forwards the method that its client chose, and `*`, `*1` and `PRI` are valid methods. If
// such a request were taken for another protocol than HTTP/1, the proxy could not read the reply,
// and a proxy that fails open would let the request pass. Only bytes that no request line can begin
// with may therefore select another protocol: the whole HTTP/2 preface, or a line that is nothing
// but the length of a RESP array.
Match MatchHttp2(std::string_view bytes) {
  if (bytes.starts_with(kHttp2Preface)) return Match::kYes;
  return kHttp2Preface.starts_with(bytes) ? Match::kNotYet : Match::kNo;
}

Match MatchResp(std::string_view bytes) {
  // Longer lengths do not fit in a signed 64-bit integer.
  constexpr std::size_t kMaxDigits = 19;
  if (bytes.empty()) return Match::kNotYet;
  if (bytes.front() != '*') return Match::kNo;
  std::size_t end = 1;
  while (end < bytes.size() && end <= kMaxDigits && IsDigit(bytes[end])) ++end;
  const std::string_view rest = bytes.substr(end);
  if (rest.empty()) return Match::kNotYet;
  if (end == 1) return Match::kNo;
  if (rest.starts_with("\r\n")) return Match::kYes;
  return rest == "\r" ? Match::kNotYet : Match::kNo;
}

}  // namespace

std::unique_ptr<Session> ChooseSession(std::string_view bytes, Services& services, const Peer& peer,
                                       const Bounds& bounds, AdmitClient admit_client) {
  const SessionParts parts{services, peer, bounds, std::move(admit_client)};
  if (services.entrance.is_proxy) return std::make_unique<ProxySession>(parts);
  return ChooseBehindProxy(bytes, parts);
}

std::unique_ptr<Session> ChooseBehindProxy(std::string_view bytes, const SessionParts& parts) {
  const std::shared_ptr<const TlsSource>& tls = parts.services.entrance.tls;
  if (tls != nullptr) return std::make_unique<TlsSession>(tls->in_force(), parts);
  return ChooseByBytes(bytes, parts);
}

std::unique_ptr<Session> ChooseByBytes(std::string_view bytes, const SessionParts& parts) {
  const Match resp = parts.services.resp == nullptr ? Match::kNo : MatchResp(bytes);
  const Match http2 = MatchHttp2(bytes);
  if (resp == Match::kYes) return MakeSession(Protocol::kResp, parts);
  if (http2 == Match::kYes) return MakeSession(Protocol::kHttp2, parts);
  if (resp == Match::kNotYet || http2 == Match::kNotYet) return nullptr;
  return MakeSession(Protocol::kHttp1, parts);
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
