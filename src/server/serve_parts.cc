#include "server/serve_parts.h"

#include <unistd.h>

#include <cstdio>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>

#include "base/text.h"
#include "net/tls/tls_name.h"
#include "rules/compile/ip_set.h"
#include "rules/model/ip_address.h"
#include "server/endpoint_of.h"

namespace sluice::cli {
namespace {

// The first descriptor that systemd passes (SD_LISTEN_FDS_START).
constexpr int kFirstDescriptor = 3;

std::vector<TlsName> NamesOf(std::span<const CertificateName> names) {
  std::vector<TlsName> read;
  for (const CertificateName& name : names) read.push_back(ParseTlsName(name.text));
  return read;
}

void WriteConnectionRejection(const ConnectionRejection& away, Log& log) {
  const std::string text = Concat(away.peer.address, away.peer.proxy.empty() ? "" : " by ",
                                  away.peer.proxy, ": ", away.why);
  switch (away.cause) {
    case ConnectionRejection::Cause::kProxyHeader:
      return log.Write(LogLevel::kWarning, "proxy_header_refused", text);
    case ConnectionRejection::Cause::kClientCertificate:
      return log.Write(LogLevel::kWarning, "client_certificate_refused", text);
    case ConnectionRejection::Cause::kHandshake:
      // Logged at debug level only, because port scanners cause many of these.
      return log.Write(LogLevel::kDebug, "tls_handshake_failed", text);
    case ConnectionRejection::Cause::kNoRoom:
      return log.Write(LogLevel::kWarning, "connection_closed_for_want_of_room", text);
  }
}

// A wrong configuration is logged as an error, because it persists until an operator corrects it.
LogLevel LevelOf(WarningCause cause) {
  switch (cause) {
    case WarningCause::kUnknownDomain:
    case WarningCause::kUntrustedProxy:
    case WarningCause::kNoOriginal:
    case WarningCause::kRlsError:
      return LogLevel::kError;
    case WarningCause::kLiftIgnored:
    case WarningCause::kLiftRefused:
    case WarningCause::kWrongCredential:
    case WarningCause::kBadCost:
    case WarningCause::kRlsRefused:
      break;
  }
  return LogLevel::kWarning;
}

std::size_t SizeOf(Bytes bytes) { return static_cast<std::size_t>(bytes.count); }

}  // namespace

std::string_view Unsupported(const Settings& settings) {
  if (settings.rules.empty()) return "expected --rules PATH, for example --rules examples/rules";
  return {};
}

Result<std::vector<ListeningSocket>> OpenSockets(const Settings& settings, const Systemd& systemd) {
  std::vector<ListeningSocket> sockets;
  const auto handed_over = static_cast<std::size_t>(systemd.socket_count());
  std::vector<Address> addresses = settings.listen;
  addresses.push_back(settings.admin.listen);
  if (handed_over > addresses.size()) {
    return Error{Concat(handed_over, " sockets were handed over; expected at most ",
                        addresses.size(), ", one for each of 'listen' and one for 'admin.listen'")};
  }
  for (std::size_t i = 0; i < addresses.size(); ++i) {
    Result<ListeningSocket> socket =
        i < handed_over ? ListeningSocket::Adopt(kFirstDescriptor + static_cast<int>(i))
                        : ListeningSocket::Open(EndpointOf(addresses[i]));
    if (!socket.ok()) return socket.error();
    sockets.push_back(std::move(socket).value());
  }
  if (!sockets.back().IsLocal() && !AsksOperators(settings)) {
    return Error{Concat("the admin socket that was handed over, ", sockets.back().text(),
                        ", can be reached from other machines and needs 'admin.token', ",
                        "'admin.token_file', or 'tls.client_ca' with 'tls.clients' required")};
  }
  return sockets;
}

bool AsksOperators(const Settings& settings) {
  return !settings.admin.token.Reveal().empty() ||
         (!settings.tls.client_ca.text.empty() &&
          settings.tls.clients == ClientCertificates::kRequired);
}

CallerReports::CallerReports(Clock& clock, Log& log)
    : warnings(clock,
               [&log](WarningCause cause, const std::string& text) {
                 log.Write(LevelOf(cause), WordOf(cause), text);
               }),
      audit(clock,
            [&log](std::string_view text) { log.Write(LogLevel::kInfo, "limits_lifted", text); }) {}

Server::Options ServerOptions(const Settings& settings, std::size_t workers) {
  const BoundSettings& bounds = settings.bounds;
  const DeadlineSettings& deadlines = settings.deadlines;
  Server::Options options;
  options.workers = workers;
  options.bounds = {.connections = static_cast<std::size_t>(bounds.connections),
                    .address_connections = (static_cast<std::size_t>(bounds.connections) + 1) / 2,
                    .connection_requests = static_cast<std::size_t>(bounds.connection_requests),
                    .streams = static_cast<std::size_t>(bounds.streams),
                    .connection_bytes = SizeOf(bounds.connection_bytes),
                    .bytes = SizeOf(bounds.bytes),
                    .request_bytes = SizeOf(bounds.request_bytes),
                    .header_bytes = SizeOf(bounds.header_bytes),
                    .header_fields = static_cast<std::size_t>(bounds.header_fields)};
  options.deadlines = {.idle = deadlines.idle,
                       .header = deadlines.header,
                       .body = deadlines.body,
                       .write = deadlines.write,
                       .age = deadlines.age};
  return options;
}

Callers CallersOf(const Settings& settings, CallerReports& reports) {
  Callers callers;
  callers.token = std::string(settings.callers.token.Reveal());
  callers.uids = {0, geteuid()};
  for (const UserId& uid : settings.callers.uids) callers.uids.push_back(uid.number);
  callers.loopback = settings.callers.loopback;
  callers.warnings = &reports.warnings;
  callers.audit = &reports.audit;
  callers.names = NamesOf(settings.callers.names);
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

TlsOptions TlsOptionsOf(const TlsSettings& settings,
                        std::span<const CertificateName> client_names) {
  TlsOptions options;
  options.oldest = settings.min_version;
  options.clients = settings.clients;
  options.client_names = NamesOf(client_names);
  return options;
}

ListenerPolicy ListenerPolicyOf(const Settings& settings, ListenerKind kind,
                                std::shared_ptr<const TlsSource> tls, Log& log) {
  ListenerPolicy entrance;
  entrance.report = [&log](const ConnectionRejection& away) {
    WriteConnectionRejection(away, log);
  };
  if (kind == ListenerKind::kUnix) return entrance;
  entrance.tls = std::move(tls);
  if (kind == ListenerKind::kService && settings.proxy_protocol) {
    entrance.is_proxy = [trust = TrustOf(settings)](std::string_view address) {
      return trust(address) == Hop::kTrusted;
    };
  }
  return entrance;
}

std::string PutAside(const std::string& path) {
  const std::string aside = path + ".unusable";
  const bool is_aside = std::rename(path.c_str(), aside.c_str()) == 0;
  return Concat(is_aside ? "it is now " : "it could not become ", aside);
}

Log::Options LogOptions(const Settings& settings) {
  const bool is_terminal = isatty(STDERR_FILENO) == 1;
  const bool is_text = settings.log.format == LogFormat::kText ||
                       (settings.log.format == LogFormat::kAuto && is_terminal);
  return {.descriptor = STDERR_FILENO,
          .form = is_text ? LogForm::kText : LogForm::kJson,
          .min_level = settings.log.level};
}

void LogRuleEvent(const RuleEvent& event, Log& log) {
  switch (event.kind) {
    case RuleEvent::Kind::kLoaded:
      return log.Write(LogLevel::kInfo, "rules_loaded", event.text);
    case RuleEvent::Kind::kWarned:
      return log.Write(LogLevel::kWarning, "rules_warning", event.text);
    case RuleEvent::Kind::kRecovered:
      return log.Write(LogLevel::kInfo, "rules_unchanged", event.text);
    case RuleEvent::Kind::kUnchanged:
      return log.Write(LogLevel::kDebug, "rules_unchanged", event.text);
    case RuleEvent::Kind::kNotLoaded:
      return log.Write(LogLevel::kError, "rules_not_loaded", event.text);
    case RuleEvent::Kind::kNotWatched:
      return log.Write(LogLevel::kWarning, "rules_not_watched", event.text);
  }
}

}  // namespace sluice::cli
