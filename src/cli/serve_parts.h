// The parts of a server as the settings want them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "admin/admin_front.h"
#include "admin/log.h"
#include "cli/systemd.h"
#include "config/live_rules.h"
#include "config/settings.h"
#include "frontend/audit_log.h"
#include "frontend/callers.h"
#include "frontend/front_warnings.h"
#include "frontend/original_request.h"
#include "net/entrance.h"
#include "net/listen.h"
#include "net/server.h"
#include "net/tls_context.h"
#include "net/tls_source.h"
#include "sluice/result.h"

namespace sluice::cli {

// What the settings ask for and this build cannot do, in words; empty if it can do all of it.
std::string_view Unsupported(const Settings& settings);

// The sockets of the service, then that of the admin address. With socket activation the first of
// those handed over stand for `listen`, and one more for the admin address; too many are an error,
// and so is one for admin that other machines reach while nobody has to show who he is.
Result<std::vector<ListeningSocket>> OpenSockets(const Settings& settings, const Systemd& systemd);

// Whether operators have to show who they are, by a token or a certificate.
bool AsksOperators(const Settings& settings);

// What the front ends report to the log. The clock and the log outlive it.
struct CallerReports {
  CallerReports(Clock& clock, Log& log);

  FrontWarnings warnings;
  AuditLog audit;
};

Server::Options ServerOptions(const Settings& settings, std::size_t workers);
// The reports outlive it.
Callers CallersOf(const Settings& settings, CallerReports& reports);
TrustFunction TrustOf(const Settings& settings);
// `client_names`: those that a listener lets in.
TlsOptions TlsOptionsOf(const TlsSettings& settings, std::span<const CertificateName> client_names);

// What connections to a listener go through. Unix sockets are plain, and only `listen` may have
// proxies before it.
enum class ListenerKind : std::uint8_t { kService, kAdmin, kUnix };
Entrance EntranceOf(const Settings& settings, ListenerKind kind,
                    std::shared_ptr<const TlsSource> tls, Log& log);

// Renames a file that cannot be used to FILE.unusable. Says what became of it, in words.
std::string PutAside(const std::string& path);

Log::Options LogOptions(const Settings& settings);

// Says in the log what became of the rule files.
void LogRuleEvent(const RuleEvent& event, Log& log);

}  // namespace sluice::cli
