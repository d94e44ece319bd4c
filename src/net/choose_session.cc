#include "net/choose_session.h"

#include "net/http1_session.h"
#include "net/http2_session.h"
#include "net/resp_session.h"

namespace sluice {
namespace {

// The preface begins with these, and no method of HTTP/1 does.
constexpr std::string_view kHttp2 = "PRI ";

}  // namespace

std::unique_ptr<Session> ChooseSession(std::string_view bytes, Services& services, const Peer& peer,
                                       const Bounds& bounds) {
  if (services.resp != nullptr && bytes.starts_with('*')) {
    return std::make_unique<RespSession>(*services.resp, peer, bounds);
  }
  if (bytes.size() < kHttp2.size() && kHttp2.starts_with(bytes)) return nullptr;
  if (bytes.starts_with(kHttp2)) {
    return std::make_unique<Http2Session>(*services.http, peer, bounds);
  }
  return std::make_unique<Http1Session>(*services.http, peer, bounds);
}

}  // namespace sluice
