#include "gate/verdict_json.h"

#include <chrono>
#include <cstdint>

#include "base/json_string.h"
#include "base/text.h"

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
  out += ModeWord(each.enforcement);
  out += R"(","source":")";
  out += WordFor(decision.source);
  out += R"("})";
}

}  // namespace

std::string_view ModeWord(Enforcement enforcement) {
  switch (enforcement) {
    case Enforcement::kEnforce:
      return "enforce";
    case Enforcement::kShadow:
      return "shadow";
    case Enforcement::kQuota:
      return "quota";
    case Enforcement::kDebt:
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
    // Only a refusal ends with time: other requests would fail again.
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
