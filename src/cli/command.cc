#include "cli/command.h"

#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include "base/spelling.h"
#include "base/value.h"
#include "cli/bench/bench.h"
#include "cli/bench/bench_arguments.h"
#include "cli/check/check.h"
#include "cli/doctor.h"
#include "cli/rules/explain.h"
#include "cli/rules/rules.h"
#include "cli/serve.h"
#include "cli/simulate.h"
#include "server/version.h"

namespace sluice::cli {
namespace {

struct Command {
  std::string_view name;
  std::string_view summary;
  int (*run)(std::span<const std::string_view> args, Console& console);
  std::string_view (*help)();
};

constexpr std::array kCommands = {
    Command{"serve", "the service: gRPC, HTTP, forward auth and RESP on one port", RunServe,
            ServeHelp},
    Command{"check", "whether a running server lets a request pass", RunCheck, CheckHelp},
    Command{"peek", "whether a running server would let a request pass", RunPeek, PeekHelp},
    Command{"refund", "give back what a request cost", RunRefund, RefundHelp},
    Command{"reset", "forget what the keys of a request have used", RunReset, ResetHelp},
    Command{"bench", "how many requests a server answers, and how fast", RunBench, BenchHelp},
    Command{"doctor", "whether a store is fit to keep states, and what to do", RunDoctor,
            DoctorHelp},
    Command{"simulate", "what a limit would have done with a series of requests", RunSimulate,
            SimulateHelp},
    Command{"rules", "what rule files say, what is wrong with them, and what changes", RunRules,
            RulesHelp},
    Command{"explain", "which rules apply to a request, and why", RunExplain, ExplainHelp},
};

const Command* Find(std::string_view name) {
  const auto found = std::find_if(kCommands.begin(), kCommands.end(),
                                  [&](const Command& command) { return command.name == name; });
  return found == kCommands.end() ? nullptr : &*found;
}

std::string Help() {
  std::string text =
      "sluice: a rate limiter\n"
      "\n"
      "usage: sluice COMMAND [FLAGS]\n"
      "\n"
      "commands:\n";
  for (const Command& command : kCommands) {
    const std::string gap(11 - command.name.size(), ' ');
    text += "  " + std::string(command.name) + gap + std::string(command.summary) + "\n";
  }
  text +=
      "  help       this text; 'sluice help COMMAND' is that of a command\n"
      "\n"
      "flags:\n"
      "  --help     this text\n"
      "  --version  the version\n"
      "\n"
      "example: three requests a second, and what becomes of five at once\n"
      "  $ sluice simulate --limit 3/s --trace examples/burst.jsonl\n";
  return text;
}

int UnknownCommand(std::string_view name, Console& console) {
  std::vector<std::string_view> names = {"help"};
  for (const Command& command : kCommands) names.push_back(command.name);
  const std::string_view what = name.starts_with('-') ? "flag " : "command ";
  if (name.starts_with('-')) names = {"--help", "--version"};
  console.err.Write("sluice: unknown " + std::string(what) + Quoted(name) +
                    Suggestion(name, names) + "\nRun 'sluice help' to see what there is.\n");
  return kExitBadInput;
}

bool IsHelp(std::string_view name) { return name == "help" || name == "--help" || name == "-h"; }

int RunHelp(std::span<const std::string_view> args, Console& console) {
  if (args.empty() || IsHelp(args.front())) {
    console.out.Write(Help());
    return kExitOk;
  }
  const Command* command = Find(args.front());
  if (command == nullptr) return UnknownCommand(args.front(), console);
  console.out.Write(command->help());
  return kExitOk;
}

}  // namespace

int RunCommand(std::span<const std::string_view> args, Console& console) {
  if (args.empty()) {
    console.err.Write(Help());
    return kExitBadInput;
  }
  const std::string_view name = args.front();
  if (IsHelp(name)) return RunHelp(args.subspan(1), console);
  if (name == "--version") {
    console.out.Write("sluice " + std::string(kVersion) + "\n");
    return kExitOk;
  }
  const Command* command = Find(name);
  if (command == nullptr) return UnknownCommand(name, console);
  return command->run(args.subspan(1), console);
}

}  // namespace sluice::cli
