#include "cli/rules/rules_show.h"

#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <vector>

#include "base/spelling.h"
#include "base/text.h"
#include "cli/rules/rules_input.h"
#include "cli/rules/show_rules.h"
#include "cli/usage.h"

namespace sluice::cli {
namespace {

constexpr std::string_view kCommand = "rules show";
constexpr std::string_view kHelp =
    "sluice rules show: every value that is in force, and where it was written\n"
    "\n"
    "usage: sluice rules show PATH... [--domain NAME] [--rule NAME] [-o text|json]\n"
    "\n"
    "  PATH      a rule file, or a directory: all of its *.yaml, *.yml and *.json\n"
    "  --domain  this domain alone\n"
    "  --rule    the rules of this name alone\n"
    "  -o        text (default): a block for each rule; json: one line for programs\n"
    "\n"
    "Each value stands beside the file, line and column where it was written, or 'default'.\n"
    "\n"
    "exit code: 0 if the rules can be used, 1 if they cannot (each error is printed), 2 if the\n"
    "command is wrong\n"
    "\n"
    "example:\n"
    "  $ sluice rules show examples/rules --rule posts\n";

constexpr std::array kFlags = {
    Flag{"--domain", FlagValues::kOne, "NAME", "api"},
    Flag{"--rule", FlagValues::kOne, "NAME", "posts"},
    kFormFlag,
    Flag{"--help", FlagValues::kNone},
};

Error NoneOfThatName(std::string_view what, std::string_view name,
                     const std::vector<std::string_view>& known) {
  return {Concat("--", what, ": there is no ", what, " ", Quoted(name), Suggestion(name, known))};
}

Result<Done> KeepDomain(std::string_view name, RuleSetSpec& spec) {
  std::vector<std::string_view> known;
  for (const DomainSpec& domain : spec.domains) known.push_back(domain.name);
  if (std::ranges::find(known, name) == known.end()) return NoneOfThatName("domain", name, known);
  std::erase_if(spec.domains, [&](const DomainSpec& domain) { return domain.name != name; });
  return Done{};
}

// Removes all but the rule, and from its domain all but what identifies it.
Result<Done> KeepRule(std::string_view name, RuleSetSpec& spec) {
  std::vector<std::string_view> known;
  for (const DomainSpec& domain : spec.domains) {
    for (const RuleSpec& rule : domain.rules) known.push_back(rule.name);
  }
  if (std::ranges::find(known, name) == known.end()) return NoneOfThatName("rule", name, known);
  for (DomainSpec& domain : spec.domains) {
    std::erase_if(domain.rules, [&](const RuleSpec& rule) { return rule.name != name; });
    domain.aliases.clear();
    domain.lists.clear();
    domain.plans.clear();
    domain.descriptors.clear();
  }
  std::erase_if(spec.domains, [](const DomainSpec& domain) { return domain.rules.empty(); });
  return Done{};
}

Result<Done> Keep(const GivenFlags& given, RuleSetSpec& spec) {
  if (given.Has("--domain")) {
    Result<Done> kept = KeepDomain(given.ValueOr("--domain", ""), spec);
    if (!kept.ok()) return kept;
  }
  if (given.Has("--rule")) return KeepRule(given.ValueOr("--rule", ""), spec);
  return Done{};
}

}  // namespace

int RunRulesShow(std::span<const std::string_view> args, Console& console) {
  const Result<GivenFlags> given = ReadFlags(kFlags, args, Operands::kAny);
  if (!given.ok()) return FailUsage(kCommand, given.error().message, console);
  if (given.value().Has("--help")) {
    console.out.Write(kHelp);
    return kExitOk;
  }
  const Result<OutputForm> form = ReadForm(given.value());
  if (!form.ok()) return FailUsage(kCommand, form.error().message, console);
  if (given.value().operands().empty()) {
    return FailUsage(kCommand, "expected a rule file or a directory of them", console);
  }
  std::optional<RuleSetSpec> spec = LoadRules(given.value().operands(), console);
  if (!spec) return kExitFailed;
  const Result<Done> kept = Keep(given.value(), *spec);
  if (!kept.ok()) return FailUsage(kCommand, kept.error().message, console);
  const bool as_json = form.value() == OutputForm::kJson;
  console.out.Write(as_json ? ShowAsJson(*spec) : ShowAsText(*spec, console.out.ink()));
  return kExitOk;
}

}  // namespace sluice::cli
