#include "net/loop/proxy_session.h"

#include <utility>

#include "net/loop/ip_text.h"
#include "wire/proxy_header.h"

namespace sluice {
namespace {

// The address of clients that did not reach the proxy by IP. It matches no trusted address, and all
// such clients are counted as one.
constexpr std::string_view kUnknown = "unknown";

}  // namespace

std::size_t ProxySession::Receive(std::string_view unread) {
  std::size_t taken = 0;
  if (!header_read_ && !ended()) {
    taken = ReadHeader(unread);
    if (!header_read_) return ended() ? unread.size() : 0;
  }
  if (ended()) return unread.size();
  // A paused inner session is called even without new bytes, so that it can go on.
  if (taken == unread.size() && !paused()) return taken;
  return taken + Offer(unread.substr(taken));
}

std::size_t ProxySession::ReadHeader(std::string_view unread) {
  constexpr auto kCause = ConnectionRejection::Cause::kProxyHeader;
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
