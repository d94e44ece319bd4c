#include "cli/rules/rules.h"

#include <algorithm>
#include <array>

#include "base/spelling.h"
#include "base/text.h"
#include "cli/rules/rules_check.h"
#include "cli/rules/rules_diff.h"
#include "cli/rules/rules_schema.h"
#include "cli/rules/rules_show.h"

namespace sluice::cli {
namespace {

constexpr std::string_view kHelp =
    "sluice rules: what rule files say\n"
    "\n"
    "usage: sluice rules COMMAND [PATH...] [FLAGS]\n"
    "\n"
    "commands:\n"
    "  check   what is wrong with rule files\n"
    "  show    every value that is in force, and where it was written\n"
    "  diff    what changes from one rule set to another\n"
    "  schema  a JSON Schema of rule files, for editors\n"
    "\n"
    "A PATH is a rule file, or a directory: all of its *.yaml, *.yml and *.json.\n"
    "Run 'sluice rules COMMAND --help' to learn more about a command.\n"
    "\n"
    "example:\n"
    "  $ sluice rules check examples/rules\n";

struct Subcommand {
  std::string_view name;
  int (*run)(std::span<const std::string_view> args, Console& console);
};

constexpr std::array kSubcommands = {
    Subcommand{"check", RunRulesCheck},
    Subcommand{"show", RunRulesShow},
    Subcommand{"diff", RunRulesDiff},
    Subcommand{"schema", RunRulesSchema},
};

}  // namespace

std::string_view RulesHelp() { return kHelp; }

int RunRules(std::span<const std::string_view> args, Console& console) {
  const std::string_view name = args.empty() ? "" : args.front();
  if (name == "--help" || name == "-h") {
    console.out.Write(kHelp);
    return kExitOk;
  }
  const auto found = std::ranges::find(kSubcommands, name, &Subcommand::name);
  if (found != kSubcommands.end()) return found->run(args.subspan(1), console);
  std::array<std::string_view, kSubcommands.size()> known;
  std::ranges::transform(kSubcommands, known.begin(), &Subcommand::name);
  console.err.Write(
      Concat("sluice rules: unknown command ", Quoted(name), Suggestion(name, known), "\n", kHelp));
  return kExitBadInput;
}

}  // namespace sluice::cli
