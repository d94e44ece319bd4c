#include "net/proxy_session.h"

#include <utility>

#include "net/ip_text.h"
#include "wire/proxy_header.h"

namespace sluice {
namespace {

// For who came to the proxy in another way than by IP. No address is called so, so that it is
// nobody's that is trusted, and all of them together are one client.
constexpr std::string_view kUnknown = "unknown";

}  // namespace

std::size_t ProxySession::Receive(std::string_view unread) {
  std::size_t taken = 0;
  if (!header_read_ && !ended()) {
    taken = ReadHeader(unread);
    if (!header_read_) return ended() ? unread.size() : 0;
  }
  if (ended()) return unread.size();
  // One that has paused goes on by being asked, also where nothing more has come.
  if (taken == unread.size() && !paused()) return taken;
  return taken + Offer(unread.substr(taken));
}

std::size_t ProxySession::ReadHeader(std::string_view unread) {
  constexpr auto kCause = TurnedAway::Cause::kProxyHeader;
  if (!parts().services.entrance.is_proxy(peer().address)) {
    TurnAway(kCause, "it is no proxy that is trusted");
    return 0;
  }
  const ProxyHeaderRead read = ReadProxyHeader(unread);
  if (read.state == ReadState::kFault) TurnAway(kCause, read.fault);
  if (read.state != ReadState::kWhole) return 0;
  header_read_ = true;
  if (read.header.client == ProxyHeader::Client::kProxy) return read.consumed;
  const bool is_known = read.header.client == ProxyHeader::Client::kIpAddress;
  peer().proxy = std::move(peer().address);
  peer().address = is_known ? IpText(read.header.address) : std::string(kUnknown);
  peer().port = read.header.port;
  if (admit_client_ && !admit_client_(peer().address)) End();
  return read.consumed;
}

std::unique_ptr<Session> ProxySession::MakeInner(std::string_view bytes) {
  return ChooseBehindProxy(bytes, parts());
}

void ProxySession::Wrap(std::string& said) {
  if (output.empty()) {
    output.swap(said);
  } else {
    output.append(said);
    said.clear();
  }
}

}  // namespace sluice
