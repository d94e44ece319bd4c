#include "admin/admin_front.h"

#include <arpa/inet.h>

#include <array>
#include <chrono>
#include <optional>

#include "admin/metrics_text.h"
#include "admin/process_metrics.h"
#include "admin/rule_metrics.h"
#include "base/json_string.h"
#include "base/same_secret.h"
#include "base/text.h"

namespace sluice {
namespace {

constexpr std::string_view kText = "text/plain; charset=utf-8";
constexpr std::string_view kJson = "application/json";
constexpr std::string_view kMetrics = "text/plain; version=0.0.4; charset=utf-8";

constexpr std::string_view kLogPath = "/log";

std::string_view PathOf(const HttpRequest& request) {
  return request.target.substr(0, request.target.find('?'));
}

bool IsLogPut(const HttpRequest& request) {
  return request.method == "PUT" && PathOf(request) == kLogPath;
}

void Tell(std::string_view type, std::string_view body, HttpReply& reply) {
  reply.headers.Add("Content-Type", type);
  reply.headers.Add("Cache-Control", "no-store");
  reply.body.append(body);
}

void Refuse(int status, std::string_view words, HttpReply& reply) {
  reply.status = status;
  Tell(kText, words, reply);
}

// Returns whether an authority is an IP address or localhost, names that no attacker's page can
// have.
bool IsLocalHost(std::string_view authority) {
  std::string host(authority.substr(0, authority.rfind(':')));
  if (authority.starts_with('[')) host = authority.substr(1, authority.find(']') - 1);
  in6_addr parsed{};
  return host.empty() || host == "localhost" || inet_pton(AF_INET, host.c_str(), &parsed) == 1 ||
         inet_pton(AF_INET6, host.c_str(), &parsed) == 1;
}

std::string_view WordFor(Health::State state) {
  constexpr std::array<std::string_view, 3> kWords = {"starting", "ready", "draining"};
  return kWords[static_cast<std::size_t>(state)];
}

std::int64_t SecondsOf(Time time) {
  return std::chrono::floor<std::chrono::seconds>(time).time_since_epoch().count();
}

void AppendStrings(const std::vector<std::string>& texts, std::string& out) {
  out += '[';
  for (const std::string& text : texts) {
    if (out.back() != '[') out += ',';
    AppendJsonString(text, out);
  }
  out += ']';
}

}  // namespace

void AdminFront::Serve(std::span<Exchange* const> batch) {
  for (Exchange* exchange : batch) {
    Answer(exchange->request, exchange->reply);
    exchange->Finish();
  }
}

BodyDelivery AdminFront::DeliveryFor(const HttpRequest& head) const {
  const bool needs_body = IsLogPut(head) && MayAsk(head) && IsOurHost(head);
  return needs_body ? BodyDelivery::kWhole : BodyDelivery::kUnread;
}

bool AdminFront::MayAsk(const HttpRequest& request) const {
  if (options_.token.empty()) return true;
  return ShowsToken(request.Find("authorization"), options_.token);
}

bool AdminFront::IsOurHost(const HttpRequest& request) const {
  return options_.hosts != AdminHosts::kLocal || IsLocalHost(request.authority);
}

void AdminFront::Answer(const HttpRequest& request, HttpReply& reply) const {
  if (request.fault != HttpRequest::Fault::kNone) return Refuse(413, "too large\n", reply);
  std::string_view query = request.target;
  const std::string_view path = PathOf(request);
  if (request.method != "GET" && request.method != "HEAD" && !IsLogPut(request)) {
    reply.headers.Add("Allow", path == kLogPath ? "GET, HEAD, PUT" : "GET, HEAD");
    return Refuse(405, "expected GET\n", reply);
  }
  query.remove_prefix(std::min(query.size(), path.size() + 1));
  if (path == "/healthz") return Tell(kText, "ok\n", reply);
  if (path == "/readyz" || path == "/healthcheck") {
    const bool may_know = MayAsk(request) && IsOurHost(request);
    return TellReadiness(query, may_know ? Names::kTold : Names::kHidden, reply);
  }
  if (!MayAsk(request)) {
    reply.headers.Add("WWW-Authenticate", "Bearer");
    return Refuse(401, "expected the admin token as a bearer token\n", reply);
  }
  if (!IsOurHost(request)) {
    return Refuse(403, "expected an IP address or localhost as the host, or an admin token\n",
                  reply);
  }
  if (path == "/metrics") return TellMetrics(reply);
  if (path == "/rules") return TellRules(reply);
  if (path == "/settings") return TellSettings(reply);
  if (path == kLogPath) return AnswerLog(request, reply);
  Refuse(404, "expected /healthz, /readyz, /metrics, /rules, /settings or /log\n", reply);
}

void AdminFront::AnswerLog(const HttpRequest& request, HttpReply& reply) const {
  if (request.method == "PUT") {
    const std::string_view word = request.body.substr(0, request.body.find_last_not_of('\n') + 1);
    const std::optional<LogLevel> min = ParseEnum<LogLevel>(word);
    if (!min) return Refuse(400, "expected debug, info, warning or error\n", reply);
    sources_.log->SetMinLevel(*min);
    sources_.log->Write(LogLevel::kWarning, "log_level_set", WordOf(*min));
  }
  Tell(kText, Concat(WordOf(sources_.log->min_level()), "\n"), reply);
}

void AdminFront::TellReadiness(std::string_view query, Names names, HttpReply& reply) const {
  const Health::State state = sources_.health->state();
  if (state != Health::State::kReady) reply.status = 503;
  if (query != "verbose") return Tell(kText, Concat(WordFor(state), "\n"), reply);
  const std::shared_ptr<const RuleStatus> rules = sources_.rules();
  const std::string_view words = !rules->in_force ? "none in force"
                                 : rules->failure ? "in force; what the files say now is not"
                                                  : "in force";
  Tell(kText, Concat("server: ", WordFor(state), "\nrules: ", words, "\n"), reply);
  if (sources_.warnings) sources_.warnings(names, reply.body);
}

void AdminFront::TellMetrics(HttpReply& reply) const {
  Tell(kMetrics, "", reply);
  MetricsText out(reply.body);
  out.Begin("sluice_build_info", MetricKind::kGauge, "Always 1; says which build this is.");
  out.Sample({{"version", options_.version}, {"compiler", options_.compiler}}, 1);
  out.Begin("sluice_ready", MetricKind::kGauge, "1 while the server wants requests.");
  out.Sample({}, sources_.health->ready() ? 1 : 0);
  const std::shared_ptr<const RuleStatus> rules = sources_.rules();
  out.Begin("sluice_config_reloads_total", MetricKind::kCounter, "Attempts to load rules.");
  out.Sample({{"result", "loaded"}}, rules->loads);
  out.Sample({{"result", "failed"}}, rules->failures);
  out.Sample({{"result", "unchanged"}}, rules->unchanged);
  out.Begin("sluice_config_last_reload_successful", MetricKind::kGauge,
            "1 where what the files say is in force.");
  out.Sample({}, rules->failure ? 0 : 1);
  if (rules->in_force) {
    out.Begin("sluice_config_last_reload_success_timestamp_seconds", MetricKind::kGauge,
              "When the rules in force were loaded.");
    out.Sample({}, SecondsOf(rules->in_force->loaded_at));
    out.Begin("sluice_config_info", MetricKind::kGauge, "Always 1; says which rules these are.");
    out.Sample({{"hash", HexText(rules->in_force->hash)}}, 1);
  }
  AppendRuleMetrics(sources_.counts(), out);
  AppendProcessMetrics(ReadProcess("/proc"), out);
  sources_.metrics(reply.body);
}

void AdminFront::TellRules(HttpReply& reply) const {
  Tell(kJson, "", reply);
  const std::shared_ptr<const RuleStatus> rules = sources_.rules();
  std::string& out = reply.body;
  out += "{\"in_force\":";
  if (rules->in_force) {
    const RulesInForce& now = *rules->in_force;
    out += Concat("{\"hash\":\"", HexText(now.hash), "\",\"loaded_at\":", SecondsOf(now.loaded_at),
                  ",\"count\":");
    AppendJsonString(now.count, out);
    out += ",\"files\":";
    AppendStrings(now.files, out);
    out += ",\"warnings\":";
    AppendStrings(now.warnings, out);
    out += '}';
  } else {
    out += "null";
  }
  out += ",\"failure\":";
  if (rules->failure) {
    out += Concat("{\"at\":", SecondsOf(rules->failure->at), ",\"problems\":");
    AppendStrings(rules->failure->problems, out);
    out += '}';
  } else {
    out += "null";
  }
  out += ",\"counts\":";
  AppendRuleCountsJson(sources_.counts(), out);
  out += "}\n";
}

void AdminFront::TellSettings(HttpReply& reply) const {
  Tell(kJson, "{", reply);
  std::string& out = reply.body;
  for (const EffectiveSetting& each : sources_.settings) {
    if (out.back() != '{') out += ',';
    AppendJsonString(each.setting->path, out);
    out += ":{\"value\":";
    AppendJsonString(each.text, out);
    out += ",\"from\":";
    AppendJsonString(each.from, out);
    out += '}';
  }
  out += "}\n";
}

}  // namespace sluice
