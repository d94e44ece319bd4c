// AdminFront: the HTTP endpoints of the admin address, for operators.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "admin/health.h"
#include "admin/log.h"
#include "config/settings/read_settings.h"
#include "config/watch/rule_status.h"
#include "gate/rule_counts.h"
#include "net/http1/exchange.h"

namespace sluice {

// Whether names from callers (domains, addresses) are shown in a reply.
enum class Names : std::uint8_t { kTold, kHidden };

// The data that the admin endpoints report. Every function may be called from any thread.
struct AdminSources {
  const Health* health = nullptr;
  Log* log = nullptr;
  std::function<std::shared_ptr<const RuleStatus>()> rules;
  std::function<RuleSums()> counts;  // the decisions of the rules
  std::span<const EffectiveSetting> settings;
  std::function<void(std::string&)> metrics;  // appends the metrics that do not belong to rules
  // Appends lines about misconfigured callers for /readyz?verbose. May be empty.
  std::function<void(Names names, std::string&)> warnings = nullptr;
};

// The Host headers that are accepted.
enum class AdminHosts : std::uint8_t {
  kAny,
  // IP addresses and localhost only, as a protection against DNS rebinding: a web page can point
  // its own host name to this server's address, but it cannot send an address as the host unless it
  // was served from there.
  kLocal,
};

struct AdminOptions {
  std::string token;  // required as a bearer token; empty: no token is required
  AdminHosts hosts = AdminHosts::kAny;
  std::string version;
  std::string compiler;
};

// Serves GET /healthz, /readyz, /healthcheck, /metrics, /rules, /settings and /log, and PUT /log.
//
// Without CORS headers, a web page of another origin can neither read a reply nor send PUT, because
// the preflight request of the browser is refused. If no token is required, AdminHosts::kLocal also
// protects against pages whose host name has been pointed to our address.
//
// Thread safety: none; one instance per worker. Ownership: the sources, the options and whatever
// the sources refer to must outlive it.
//
// Invariants
//   (1) If a token is set, callers without it can read nothing but health.
//   (2) With AdminHosts::kLocal, requests for any other host can read nothing but health.
//   (3) No metric contains data that a caller of the service sent.
class AdminFront final : public HttpService {
 public:
  AdminFront(const AdminSources& sources, const AdminOptions& options)
      : sources_(sources), options_(options) {}

  void Serve(std::span<Exchange* const> batch) override;
  // Only PUT /log needs its body, and only if the caller is authorized. All other requests are
  // answered after their headers, so that a client cannot hold a connection by sending a body
  // slowly.
  [[nodiscard]] BodyDelivery DeliveryFor(const HttpRequest& head) const override;

 private:
  void Answer(const HttpRequest& request, HttpReply& reply) const;
  [[nodiscard]] bool MayAsk(const HttpRequest& request) const;
  [[nodiscard]] bool IsOurHost(const HttpRequest& request) const;
  void AnswerLog(const HttpRequest& request, HttpReply& reply) const;
  void TellReadiness(std::string_view query, Names names, HttpReply& reply) const;
  void TellMetrics(HttpReply& reply) const;
  void TellRules(HttpReply& reply) const;
  void TellSettings(HttpReply& reply) const;

  const AdminSources& sources_;
  const AdminOptions& options_;
};

}  // namespace sluice
