#include "cli/rules/explain_report.h"

#include <algorithm>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "base/enum_name.h"
#include "base/text.h"
#include "console/duration_text.h"
#include "console/json_text.h"
#include "console/table.h"
#include "core/limit/format_limit.h"
#include "core/limit/limit_words.h"
#include "gate/problem.h"
#include "gate/verdict_json.h"
#include "rules/compile/explain_words.h"
#include "rules/model/attribute_value.h"

namespace sluice::cli {
namespace {

// Returns the key of one decision of the verdict.
std::span<const ExplainedKeyPart> KeyOf(const ExplainedRequest& request,
                                        const RuleDecision& decision) {
  if (decision.rule == nullptr) return request.why.descriptor.key;
  const auto found = std::ranges::find(request.why.rules, decision.rule, &RuleExplanation::rule);
  return found->key;
}

std::string Headline(const ExplainedRequest& request) {
  const Verdict& verdict = request.verdict;
  const std::string domain = Concat("domain ", Quoted(request.question.domain), ": ");
  if (verdict.allowed()) {
    const bool waits = verdict.wait() > Nanos{0};
    return Concat(domain, "allowed", waits ? Concat(" after ", DurationText(verdict.wait())) : "");
  }
  std::string_view word = "refused";
  if (verdict.kind() == VerdictKind::kDenied) word = "denied";
  if (verdict.kind() == VerdictKind::kBadRequest) word = "no good request";
  const Nanos retry_after = verdict.retry_after();
  const bool comes_back = verdict.kind() == VerdictKind::kRefused && retry_after != kNever;
  return Concat(
      domain, word, ", ", StatusOf(verdict), "; ",
      comes_back ? Concat("would pass in ", DurationText(retry_after)) : "waiting does not help");
}

// Returns the lenient form of the path. REQUIRES: the path has two forms.
std::string_view LenientPath(const ExplainedRequest& request) {
  const auto found =
      std::ranges::find(request.question.attributes, kPathAttribute, &Attribute::name);
  return found->value;
}

std::string PathLine(const ExplainedRequest& request) {
  return Concat("path: ", Quoted(request.question.strict_path), ", to a lenient application ",
                Quoted(LenientPath(request)), "\n");
}

std::string PathJson(const ExplainedRequest& request) {
  if (request.question.strict_path.empty()) return "";
  return Concat(R"("path":{"strict":)", JsonString(request.question.strict_path), R"(,"lenient":)",
                JsonString(LenientPath(request)), "},");
}

std::string RulesTable(const ExplainedRequest& request, ColorMode ink) {
  Table table({{"rule"}, {"outcome"}, {"why"}});
  for (const RuleExplanation& why : request.why.rules) {
    const bool counts = why.outcome == RuleFate::kApplies || why.outcome == RuleFate::kDecides ||
                        why.outcome == RuleFate::kBadCost;
    table.Add({why.rule->name, std::string(FateWord(why)), Describe(why)},
              counts ? std::nullopt : std::optional(Emphasis::kDim));
  }
  return table.ToText(ink);
}

std::string DescriptorLine(const ExplainedRequest& request) {
  const DescriptorExplanation& why = request.why.descriptor;
  return Concat("descriptors: ", FateWord(why.outcome), "; ",
                Printable(Describe(why, request.domain->spec(), request.question.attributes)),
                "\n");
}

std::string UnitsText(const Decision& decision) {
  if (decision.limit == kNoUnits) return "-";
  return Concat(decision.remaining, " of ", decision.limit);
}

std::string RetryText(const Decision& decision) {
  if (decision.allowed) return "-";
  return decision.retry_after == kNever ? "never" : DurationText(decision.retry_after);
}

std::string ChargesTable(const ExplainedRequest& request, ColorMode ink) {
  using enum Table::Align;
  Table table({{"rule"},
               {"limit"},
               {"terms"},
               {"key"},
               {"mode"},
               {"cost", kRight},
               {"answer"},
               {"left", kRight},
               {"retry after", kRight},
               {"reset after", kRight}});
  for (const RuleDecision& each : request.verdict.decisions()) {
    const Decision& decision = each.decision;
    table.Add({std::string(each.limit->rule),
               each.limit->name.empty() ? "-" : std::string(each.limit->name),
               FormatLimit(each.limit->limit->spec), DescribeKey(KeyOf(request, each)),
               std::string(ModeWord(each.enforcement)), std::to_string(each.cost.units),
               decision.allowed ? "allowed" : "refused", UnitsText(decision), RetryText(decision),
               DurationText(decision.reset_after)});
  }
  return table.ToText(ink);
}

std::string HeaderLines(const HeaderList& headers) {
  std::string text;
  for (std::size_t i = 0; i < headers.size(); ++i) {
    text += Concat("  ", headers[i].name, ": ", headers[i].value, "\n");
  }
  return text;
}

std::string RulesJson(const ExplainedRequest& request) {
  std::string text;
  for (const RuleExplanation& why : request.why.rules) {
    text +=
        Concat(text.empty() ? "" : ",", R"({"rule":)", JsonString(why.rule->name), R"(,"outcome":)",
               JsonString(FateWord(why)), R"(,"why":)", JsonString(Describe(why)), "}");
  }
  return text;
}

std::string ChargesJson(const ExplainedRequest& request) {
  std::string text;
  for (const RuleDecision& each : request.verdict.decisions()) {
    std::string key;
    for (const ExplainedKeyPart& part : KeyOf(request, each)) {
      key += Concat(key.empty() ? "" : ",", R"({"attribute":)", JsonString(part.attribute),
                    R"(,"value":)", JsonString(part.value), "}");
    }
    text += Concat(text.empty() ? "" : ",", R"({"rule":)", JsonString(each.limit->rule),
                   R"(,"name":)", JsonString(each.limit->name), R"(,"terms":)",
                   JsonString(FormatLimit(each.limit->limit->spec)), R"(,"key":[)", key,
                   R"(],"cost":)", each.cost.units, "}");
  }
  return text;
}

std::string DescriptorJson(const ExplainedRequest& request) {
  const DescriptorExplanation& why = request.why.descriptor;
  if (request.domain->spec().descriptors.empty()) return "null";
  return Concat(
      R"({"outcome":)", JsonString(FateWord(why.outcome)), R"(,"depth":)", why.depth, R"(,"why":)",
      JsonString(Describe(why, request.domain->spec(), request.question.attributes)), "}");
}

std::string HeadersJson(const HeaderList& headers) {
  std::string text;
  for (std::size_t i = 0; i < headers.size(); ++i) {
    text += Concat(text.empty() ? "" : ",", JsonString(headers[i].name), ":",
                   JsonString(headers[i].value));
  }
  return text;
}

}  // namespace

std::string ExplainText(const ExplainedRequest& request, ColorMode ink) {
  const DomainSpec& domain = request.domain->spec();
  std::string text = Emphasized(ink, Emphasis::kBold, Headline(request)) + "\n";
  if (!request.question.strict_path.empty()) text += PathLine(request);
  if (!domain.rules.empty()) text += Concat("\n", RulesTable(request, ink));
  if (!domain.descriptors.empty()) text += Concat("\n", DescriptorLine(request));
  if (!request.verdict.decisions().empty()) text += Concat("\n", ChargesTable(request, ink));
  if (request.headers.size() != 0) {
    text += Concat("\nheaders (", WordOf(request.question.profile), ")\n",
                   HeaderLines(request.headers));
  }
  return text;
}

std::string ExplainJson(const ExplainedRequest& request) {
  std::string text = Concat(R"({"domain":)", JsonString(request.question.domain), R"(,"status":)",
                            StatusOf(request.verdict), ",", PathJson(request));
  AppendVerdictMembers(request.verdict, text);
  return Concat(text, R"(,"charges":[)", ChargesJson(request), R"(],"rules":[)", RulesJson(request),
                R"(],"descriptor":)", DescriptorJson(request), R"(,"profile":)",
                JsonString(WordOf(request.question.profile)), R"(,"headers":{)",
                HeadersJson(request.headers), "}}\n");
}

}  // namespace sluice::cli
