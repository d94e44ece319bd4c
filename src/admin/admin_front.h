// AdminFront: what operators ask a server.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "admin/health.h"
#include "admin/log.h"
#include "config/read_settings.h"
#include "config/rule_status.h"
#include "gate/rule_counts.h"
#include "net/exchange.h"

namespace sluice {

// Whether names that callers use (domains, addresses) are told.
enum class Names : std::uint8_t { kTold, kHidden };

// What the admin address tells about. All may be called from any thread.
struct AdminSources {
  const Health* health = nullptr;
  Log* log = nullptr;
  std::function<std::shared_ptr<const RuleStatus>()> rules;
  std::function<RuleSums()> counts;  // what the rules have decided
  std::span<const EffectiveSetting> settings;
  std::function<void(std::string&)> metrics;  // appends what is known beside the rules
  // Appends lines for /readyz?verbose: what callers are set up wrongly. May be empty.
  std::function<void(Names names, std::string&)> warnings = nullptr;
};

// For whom operators' requests may be meant, by the name of the host in them.
enum class AdminHosts : std::uint8_t {
  kAny,
  // An IP address or localhost. No page can ask in these names but one of this machine's, whatever
  // address the name of its own host is made to mean.
  kLocal,
};

struct AdminOptions {
  std::string token;  // callers must show it as a bearer token; empty: none
  AdminHosts hosts = AdminHosts::kAny;
  std::string version;
  std::string compiler;
};

// GET /healthz, /readyz, /healthcheck, /metrics, /rules, /settings, /log; PUT /log.
//
// A web page that a browser shows can neither read what is told, nor send PUT: browsers ask first,
// and the answer is no. Where anybody may ask, AdminHosts::kLocal is for pages whose host is made
// to have our address.
//
// Thread safety: none; one for each worker. Ownership: what the sources refer to outlives it.
//
// Invariants
//   (1) With a token nothing but health is told to who does not show it.
//   (2) With AdminHosts::kLocal likewise to who asks in another name.
//   (3) Nothing that a caller of the service sent is ever part of a metric.
class AdminFront final : public HttpService {
 public:
  AdminFront(const AdminSources& sources, const AdminOptions& options)
      : sources_(sources), options_(options) {}

  void Serve(std::span<Exchange* const> batch) override;
  // Only PUT /log needs its body, and only from who may ask: everything else is answered at its
  // head, so that nobody else keeps a connection by sending a body slowly.
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
