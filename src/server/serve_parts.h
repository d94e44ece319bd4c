// The parts of a server, created from the settings.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "admin/admin_front.h"
#include "admin/log.h"
#include "config/settings/settings.h"
#include "config/watch/live_rules.h"
#include "frontend/audit_log.h"
#include "frontend/callers.h"
#include "frontend/front_warnings.h"
#include "frontend/http/original_request.h"
#include "net/loop/listen.h"
#include "net/loop/listener_policy.h"
#include "net/loop/server.h"
#include "net/tls/tls_context.h"
#include "net/tls/tls_source.h"
#include "server/systemd.h"
#include "sluice/result.h"

namespace sluice::cli {

// Returns a message if the settings ask for something that this build cannot do, otherwise an empty
// text.
std::string_view Unsupported(const Settings& settings);

// Opens the sockets of the service, followed by the socket of the admin address. With socket
// activation, the sockets that systemd passes replace the addresses of `listen` in order, and then
// the admin address. Returns an error if there are too many of them, or if other machines can reach
// the admin socket without a token or client certificate.
Result<std::vector<ListeningSocket>> OpenSockets(const Settings& settings, const Systemd& systemd);

// Returns whether the admin address requires a token or a client certificate.
bool AsksOperators(const Settings& settings);

// The reports of the front ends to the log. The clock and the log must outlive it.
struct CallerReports {
  CallerReports(Clock& clock, Log& log);

  FrontWarnings warnings;
  AuditLog audit;
};

Server::Options ServerOptions(const Settings& settings, std::size_t workers);
// The reports must outlive the result.
Callers CallersOf(const Settings& settings, CallerReports& reports);
TrustFunction TrustOf(const Settings& settings);
// `client_names` are the names of client certificates that the listener accepts.
TlsOptions TlsOptionsOf(const TlsSettings& settings, std::span<const CertificateName> client_names);

// The policy depends on the kind of listener: Unix sockets have no TLS, and only service listeners
// can be behind proxies that send a PROXY protocol header.
enum class ListenerKind : std::uint8_t { kService, kAdmin, kUnix };
ListenerPolicy ListenerPolicyOf(const Settings& settings, ListenerKind kind,
                                std::shared_ptr<const TlsSource> tls, Log& log);

// Renames a file that cannot be used to FILE.unusable. Returns the result as text for a message.
std::string PutAside(const std::string& path);

Log::Options LogOptions(const Settings& settings);

// Writes an event of the rule files to the log.
void LogRuleEvent(const RuleEvent& event, Log& log);

}  // namespace sluice::cli
