#include "gate/problem.h"

#include <cassert>
#include <chrono>
#include <variant>

#include "base/duration.h"
#include "base/json_string.h"
#include "base/text.h"
#include "gate/policy_name.h"
#include "gate/verdict_json.h"

namespace sluice {
namespace {

constexpr int kOk = 200;
constexpr int kBadRequest = 400;
constexpr int kForbidden = 403;
constexpr int kNotFound = 404;
constexpr int kTooManyRequests = 429;
constexpr int kServiceUnavailable = 503;

// A problem type: its URI and its title.
struct ProblemType {
  std::string_view uri;
  std::string_view title;
};

constexpr ProblemType kQuotaExceeded = {
    "https://iana.org/assignments/http-problem-types#quota-exceeded",
    "Request cannot be satisfied as assigned quota has been exceeded"};
constexpr ProblemType kReducedCapacity = {
    "https://iana.org/assignments/http-problem-types#temporary-reduced-capacity",
    "Request cannot be satisfied due to temporary server capacity constraints"};

// The title of about:blank is the reason phrase of the status.
std::string_view PhraseOf(int status) {
  switch (status) {
    case kBadRequest:
      return "Bad Request";
    case kForbidden:
      return "Forbidden";
    case kNotFound:
      return "Not Found";
    case kTooManyRequests:
      return "Too Many Requests";
    case kServiceUnavailable:
      return "Service Unavailable";
    default:
      return "Error";
  }
}

ProblemType TypeOf(const Verdict& verdict, int status) {
  if (verdict.kind() != VerdictKind::kRefused) return {"about:blank", PhraseOf(status)};
  return status == kServiceUnavailable ? kReducedCapacity : kQuotaExceeded;
}

// Returns the rule that determines status and message, or null.
const RuleSpec* RuleOf(const Verdict& verdict) {
  if (verdict.kind() != VerdictKind::kRefused) return verdict.decided_by();
  return verdict.nearest() == nullptr ? nullptr : verdict.nearest()->rule;
}

void AppendQuotedName(std::string_view name, std::string& out) {
  out += '\'';
  AppendJsonEscaped(name, out);
  out += '\'';
}

// Formats a wait, rounded up to a whole number of the largest unit of which there are at least ten:
// "143ms", "299s", "30m" for 1797 seconds. Retry-After is exact to the second.
std::string WaitText(Nanos wait) {
  using std::chrono::ceil;
  constexpr int kMin = 10;
  if (wait < std::chrono::seconds{1}) return FormatDuration(ceil<std::chrono::milliseconds>(wait));
  const auto seconds = ceil<std::chrono::seconds>(wait);
  const auto minutes = ceil<std::chrono::minutes>(seconds);
  const auto hours = ceil<std::chrono::hours>(seconds);
  const auto days = ceil<std::chrono::days>(seconds);
  if (days == seconds || seconds >= kMin * std::chrono::days{1}) {
    return Concat(days.count(), "d");
  }
  if (hours == seconds || seconds >= kMin * std::chrono::hours{1}) {
    return Concat(hours.count(), "h");
  }
  if (minutes == seconds || seconds >= kMin * std::chrono::minutes{1}) {
    return Concat(minutes.count(), "m");
  }
  return Concat(seconds.count(), "s");
}

void AppendRefusal(const RuleDecision& each, std::string& out) {
  const Decision& decision = each.decision;
  out += each.rule != nullptr ? "Rule " : "Descriptor ";
  AppendQuotedName(each.limit->rule, out);
  if (!each.limit->name.empty()) {
    out += ", limit ";
    AppendQuotedName(each.limit->name, out);
  }
  out += ": ";
  AppendPart(each.cost.units, out);
  out += " asked for";
  if (decision.retry_after == kNever) {
    out += ", and never more than ";
    if (decision.limit == kNoUnits) {
      out += "its rate brings";
    } else {
      AppendPart(decision.limit, out);
    }
    out += " at once; waiting does not help.";
    return;
  }
  if (decision.limit != kNoUnits) {
    out += ", ";
    AppendPart(decision.remaining, out);
    out += " of ";
    AppendPart(decision.limit, out);
    out += " left";
  }
  out += "; come back in ";
  out += WaitText(decision.retry_after);
  out += '.';
}

// Returns the attribute that holds the cost, if the cost was invalid.
const std::string* CostAttributeOf(const RuleSpec* rule) {
  return rule != nullptr && rule->cost ? std::get_if<std::string>(&*rule->cost) : nullptr;
}

void AppendFault(const Verdict& verdict, std::string& out) {
  if (const std::string* const attribute = CostAttributeOf(verdict.decided_by())) {
    out += "Rule ";
    AppendQuotedName(verdict.decided_by()->name, out);
    out += ", attribute ";
    AppendQuotedName(*attribute, out);
    out += ": ";
  }
  AppendJsonEscaped(verdict.fault(), out);
  out += '.';
}

void AppendDetail(const Verdict& verdict, std::string& out) {
  switch (verdict.kind()) {
    case VerdictKind::kAllowed:
      break;
    case VerdictKind::kRefused:
      AppendRefusal(*verdict.nearest(), out);
      break;
    case VerdictKind::kDenied:
      if (!verdict.fault().empty()) return AppendFault(verdict, out);
      out += "Rule ";
      AppendQuotedName(verdict.decided_by()->name, out);
      out += " denies this request; waiting does not help.";
      break;
    case VerdictKind::kBadRequest:
      AppendFault(verdict, out);
      break;
    case VerdictKind::kUnknownDomain:
      out += "There are no rules for this domain.";
      break;
  }
}

// Whether to use the rule's own message, which does not describe what is wrong with a bad request.
bool HasWords(const Verdict& verdict, const RuleSpec* rule) {
  return rule != nullptr && !rule->message.empty() && verdict.fault().empty();
}

void AppendViolated(const Verdict& verdict, std::string& out) {
  out += R"(,"violated-policies":[)";
  std::string_view separator;
  for (const RuleDecision& each : verdict.decisions()) {
    if (!verdict.IsReason(each)) continue;
    out += separator;
    AppendPolicyName(*each.limit, out);
    separator = ",";
  }
  out += ']';
}

}  // namespace

int StatusOf(const Verdict& verdict) {
  const RuleSpec* const rule = RuleOf(verdict);
  const auto by_rule = [&](int otherwise) {
    return rule == nullptr ? otherwise : rule->status.value_or(otherwise);
  };
  switch (verdict.kind()) {
    case VerdictKind::kAllowed:
      return kOk;
    case VerdictKind::kRefused:
      return by_rule(kTooManyRequests);
    case VerdictKind::kDenied:
      return verdict.fault().empty() ? by_rule(kForbidden) : kBadRequest;
    case VerdictKind::kBadRequest:
      return kBadRequest;
    case VerdictKind::kUnknownDomain:
      return kNotFound;
  }
  return kOk;
}

void WriteProblem(const Verdict& verdict, std::string& out) {
  assert(!verdict.allowed());
  const int status = StatusOf(verdict);
  const ProblemType type = TypeOf(verdict, status);
  out += R"({"type":")";
  out += type.uri;
  out += R"(","title":")";
  out += type.title;
  out += R"(","status":)";
  AppendPart(status, out);
  out += R"(,"detail":")";
  if (const RuleSpec* const rule = RuleOf(verdict); HasWords(verdict, rule)) {
    AppendJsonEscaped(rule->message, out);
  } else {
    AppendDetail(verdict, out);
  }
  out += '"';
  if (verdict.kind() == VerdictKind::kRefused) AppendViolated(verdict, out);
  out += ',';
  AppendVerdictMembers(verdict, out);
  out += '}';
}

}  // namespace sluice
