#include "cli/serve_parts.h"

#include <sched.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <utility>

#include "cli/request_flags.h"
#include "core/text.h"
#include "rules/ip_address.h"
#include "rules/ip_set.h"

namespace sluice::cli {
namespace {

// The first descriptor that systemd hands over.
constexpr int kFirstDescriptor = 3;

std::size_t SizeOf(Bytes bytes) { return static_cast<std::size_t>(bytes.count); }

}  // namespace

std::string_view Unsupported(const Settings& settings) {
  if (settings.store.url.kind != StoreUrl::Kind::kMemory) {
    return "'store' must be 'memory'; stores on other machines are still to come";
  }
  if (!settings.tls.certificate.text.empty()) return "'tls' is still to come";
  if (settings.proxy_protocol) return "'proxy_protocol' is still to come";
  if (settings.rules.empty()) return "'rules' must name files, or directories of them";
  return {};
}

Result<std::vector<ListeningSocket>> OpenSockets(const Settings& settings, const Systemd& systemd) {
  std::vector<ListeningSocket> sockets;
  const auto handed_over = static_cast<std::size_t>(systemd.socket_count());
  std::vector<Address> addresses = settings.listen;
  addresses.push_back(settings.admin.listen);
  for (std::size_t i = 0; i < addresses.size(); ++i) {
    Result<ListeningSocket> socket =
        i < handed_over ? ListeningSocket::Adopt(kFirstDescriptor + static_cast<int>(i))
                        : ListeningSocket::Open(EndpointOf(addresses[i]));
    if (!socket.ok()) return socket.error();
    sockets.push_back(std::move(socket).value());
  }
  return sockets;
}

void RaiseDescriptorBound() {
  rlimit bound{};
  if (getrlimit(RLIMIT_NOFILE, &bound) != 0) return;
  bound.rlim_cur = bound.rlim_max;
  setrlimit(RLIMIT_NOFILE, &bound);
}

std::size_t UsableProcessors() {
  cpu_set_t usable;
  if (sched_getaffinity(0, sizeof usable, &usable) == 0) {
    return static_cast<std::size_t>(CPU_COUNT(&usable));
  }
  // There are more of them than the set can say.
  return std::max(1U, std::thread::hardware_concurrency());
}

Server::Options ServerOptions(const Settings& settings, std::size_t workers) {
  const BoundSettings& bounds = settings.bounds;
  const DeadlineSettings& deadlines = settings.deadlines;
  Server::Options options;
  options.workers = workers;
  options.bounds = {.connections = static_cast<std::size_t>(bounds.connections),
                    .connection_requests = static_cast<std::size_t>(bounds.connection_requests),
                    .streams = static_cast<std::size_t>(bounds.streams),
                    .connection_bytes = SizeOf(bounds.connection_bytes),
                    .request_bytes = SizeOf(bounds.request_bytes),
                    .header_bytes = SizeOf(bounds.header_bytes),
                    .header_fields = static_cast<std::size_t>(bounds.header_fields)};
  options.deadlines = {.idle = deadlines.idle,
                       .header = deadlines.header,
                       .body = deadlines.body,
                       .write = deadlines.write};
  return options;
}

Callers CallersOf(const Settings& settings) {
  Callers callers;
  callers.token = std::string(settings.callers.token.Reveal());
  for (const UserId& uid : settings.callers.uids) callers.uids.push_back(uid.number);
  return callers;
}

TrustFunction TrustOf(const Settings& settings) {
  const auto trusted = std::make_shared<const IpSet>(settings.trusted_proxies.prefixes);
  const bool trusts_unix = settings.trusted_proxies.unix_sockets;
  return [trusted, trusts_unix](std::string_view address) {
    if (address.empty()) return trusts_unix ? Hop::kTrusted : Hop::kStranger;
    const std::optional<IpAddress> ip = ParseIpAddress(address);
    if (!ip) return Hop::kNoAddress;
    return trusted->Contains(*ip) ? Hop::kTrusted : Hop::kStranger;
  };
}

Log::Options LogOptions(const Settings& settings) {
  const bool is_terminal = isatty(STDERR_FILENO) == 1;
  const bool is_text = settings.log.format == LogFormat::kText ||
                       (settings.log.format == LogFormat::kAuto && is_terminal);
  return {.descriptor = STDERR_FILENO,
          .form = is_text ? LogForm::kText : LogForm::kJson,
          .least = static_cast<LogImportance>(settings.log.level)};
}

}  // namespace sluice::cli
