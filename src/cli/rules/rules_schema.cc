#include "cli/rules/rules_schema.h"

#include <array>

#include "base/text.h"
#include "cli/flags.h"
#include "config/rules/rules_schema.h"

namespace sluice::cli {
namespace {

constexpr std::string_view kHelp =
    "sluice rules schema: the JSON Schema of rule files, for editors\n"
    "\n"
    "usage: sluice rules schema\n"
    "\n"
    "  --help  this text\n"
    "\n"
    "Prints a schema (draft-07) that says which keys a rule file has and what they mean, so that\n"
    "an editor completes them and marks mistakes while they are written. It sees less than\n"
    "'sluice rules check', which also knows what rules amount to together.\n"
    "\n"
    "example: for editors with yaml-language-server, which looks for a schema in the first line\n"
    "  $ sluice rules schema > rules.schema.json\n"
    "  $ head -1 api.yaml\n"
    "  # yaml-language-server: $schema=rules.schema.json\n";

}  // namespace

int RunRulesSchema(std::span<const std::string_view> args, Console& console) {
  constexpr std::array kFlags = {Flag{"--help", FlagValues::kNone}};
  const Result<GivenFlags> given = ReadFlags(kFlags, args);
  if (!given.ok()) {
    console.err.Write(Concat("sluice rules schema: ", given.error().message, "\n"));
    return kExitBadInput;
  }
  console.out.Write(given.value().Has("--help") ? kHelp : RulesSchema());
  return kExitOk;
}

}  // namespace sluice::cli
