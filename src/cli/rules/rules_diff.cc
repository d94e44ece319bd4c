#include "cli/rules/rules_diff.h"

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "base/text.h"
#include "cli/rules/rules_input.h"
#include "cli/usage.h"
#include "console/json_text.h"
#include "rules/diff/diff_rules.h"

namespace sluice::cli {
namespace {

constexpr std::string_view kCommand = "rules diff";
constexpr std::string_view kHelp =
    "sluice rules diff: what changes from one rule set to another\n"
    "\n"
    "usage: sluice rules diff OLD NEW [-o text|json]\n"
    "\n"
    "  OLD, NEW  a rule file, or a directory: all of its *.yaml, *.yml and *.json\n"
    "  -o        text (default): a sentence for each change; json: a list\n"
    "\n"
    "Each change says what becomes of the states of keys that are in use. Nothing is said about\n"
    "what makes no difference, such as spelling or the order of rules that only limit.\n"
    "\n"
    "exit code: 0 if there is no difference, 1 if there is, 2 if the command is wrong or the\n"
    "rules of either cannot be used (each error is printed)\n"
    "\n"
    "example:\n"
    "  $ sluice rules diff /etc/sluice/rules rules\n";

constexpr std::array kFlags = {kFormFlag, Flag{"--help", FlagValues::kNone}};

Emphasis EmphasisOf(ChangeKind kind) {
  if (kind == ChangeKind::kAdded) return Emphasis::kGreen;
  return kind == ChangeKind::kRemoved ? Emphasis::kRed : Emphasis::kYellow;
}

std::string AsText(const std::vector<RuleChange>& changes, ColorMode ink) {
  std::string text;
  for (const RuleChange& change : changes) {
    text += Emphasized(ink, EmphasisOf(change.kind), Describe(change)) + "\n";
  }
  return text;
}

std::string AsJson(const std::vector<RuleChange>& changes) {
  std::string text = "[";
  for (const RuleChange& change : changes) {
    text +=
        Concat(text.size() == 1 ? "\n" : ",\n", R"( {"domain":)", JsonString(change.domain),
               R"(,"subject":")", WordOf(change.subject), R"(","name":)", JsonString(change.name),
               R"(,"change":")", WordOf(change.kind), R"(","sentence":)",
               JsonString(change.sentence), R"(,"states":")", WordOf(change.effect), "\"}");
  }
  return text + (changes.empty() ? "]\n" : "\n]\n");
}

}  // namespace

int RunRulesDiff(std::span<const std::string_view> args, Console& console) {
  const Result<GivenFlags> given = ReadFlags(kFlags, args, Operands::kAny);
  if (!given.ok()) return FailUsage(kCommand, given.error().message, console);
  if (given.value().Has("--help")) {
    console.out.Write(kHelp);
    return kExitOk;
  }
  const Result<OutputForm> form = ReadForm(given.value());
  if (!form.ok()) return FailUsage(kCommand, form.error().message, console);
  const auto paths = given.value().operands();
  if (paths.size() != 2) {
    return FailUsage(kCommand, "expected two rule files or directories, OLD and NEW", console);
  }
  // Loads both before it checks either, so that the errors of both are printed.
  const std::optional<RuleSetSpec> before = LoadRules(paths.first(1), console);
  const std::optional<RuleSetSpec> after = LoadRules(paths.last(1), console);
  if (!before || !after) return kExitBadInput;
  const std::vector<RuleChange> changes = DiffRules(*before, *after);
  const bool as_json = form.value() == OutputForm::kJson;
  console.out.Write(as_json ? AsJson(changes) : AsText(changes, console.out.ink()));
  return changes.empty() ? kExitOk : kExitNo;
}

}  // namespace sluice::cli
