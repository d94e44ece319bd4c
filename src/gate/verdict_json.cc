#include "gate/verdict_json.h"

#include <chrono>
#include <cstdint>

#include "core/json_string.h"
#include "core/text.h"

namespace sluice {
namespace {

std::string_view WordFor(Source source) {
  switch (source) {
    case Source::kMemory:
      return "memory";
    case Source::kOverflow:
      return "overflow";
    case Source::kRemote:
      return "redis";
    case Source::kLease:
      return "lease";
    case Source::kEventual:
      return "eventual";
    case Source::kEmptyKey:
      return "empty_key";
    case Source::kFallback:
      return "fallback";
  }
  return "";
}

std::string_view WordFor(bool value) { return value ? "true" : "false"; }

void AppendMillis(Nanos length, std::string& out) {
  AppendPart(std::chrono::ceil<std::chrono::milliseconds>(length).count(), out);
}

void AppendUnits(std::int64_t units, std::string& out) {
  if (units == kNoUnits) {
    out += "null";
  } else {
    AppendPart(units, out);
  }
}

void AppendRetryAfter(Nanos retry_after, std::string& out) {
  if (retry_after == kNever) {
    out += "\"never\"";
  } else {
    AppendMillis(retry_after, out);
  }
}

void AppendDecision(const RuleDecision& each, std::string& out) {
  const Decision& decision = each.decision;
  out += R"({"rule":)";
  AppendJsonString(each.limit->rule, out);
  if (!each.limit->name.empty()) {
    out += R"(,"name":)";
    AppendJsonString(each.limit->name, out);
  }
  out += R"(,"allowed":)";
  out += WordFor(decision.allowed);
  out += R"(,"limit":)";
  AppendUnits(decision.limit, out);
  out += R"(,"remaining":)";
  AppendUnits(decision.remaining, out);
  out += R"(,"retry_after_ms":)";
  if (decision.allowed) {
    out += "null";
  } else {
    AppendRetryAfter(decision.retry_after, out);
  }
  out += R"(,"reset_after_ms":)";
  AppendMillis(decision.reset_after, out);
  out += R"(,"mode":")";
  out += ModeWord(each.veto);
  out += R"(","source":")";
  out += WordFor(decision.source);
  out += R"("})";
}

}  // namespace

std::string_view ModeWord(Veto veto) {
  switch (veto) {
    case Veto::kEnforce:
      return "enforce";
    case Veto::kShadow:
      return "shadow";
    case Veto::kQuota:
      return "quota";
    case Veto::kDebt:
      return "debt";
  }
  return "";
}

void AppendVerdictMembers(const Verdict& verdict, std::string& out) {
  out += R"("allowed":)";
  out += WordFor(verdict.allowed());
  out += R"(,"retry_after_ms":)";
  if (verdict.allowed()) {
    out += "null";
  } else {
    // A request that is no good today is none tomorrow.
    AppendRetryAfter(verdict.kind() == VerdictKind::kRefused ? verdict.retry_after() : kNever, out);
  }
  if (verdict.wait() > Nanos{0}) {
    out += R"(,"wait_ms":)";
    AppendMillis(verdict.wait(), out);
  }
  out += R"(,"decisions":[)";
  std::string_view separator;
  for (const RuleDecision& each : verdict.decisions()) {
    out += separator;
    AppendDecision(each, out);
    separator = ",";
  }
  out += ']';
}

void WriteVerdictJson(const Verdict& verdict, std::string& out) {
  out += '{';
  AppendVerdictMembers(verdict, out);
  out += '}';
}

}  // namespace sluice
