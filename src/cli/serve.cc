#include "cli/serve.h"

#include <unistd.h>

#include <cstdlib>
#include <string>
#include <vector>

#include "base/text.h"
#include "config/settings/read_settings.h"
#include "config/syntax/file_text.h"
#include "server/process_limits.h"
#include "server/serve_parts.h"
#include "server/service.h"
#include "server/signals.h"
#include "server/systemd.h"

namespace sluice::cli {

std::string_view ServeHelp() {
  static const std::string help = Concat(
      "sluice serve: the service\n\nusage: sluice serve --rules PATH [FLAGS]\n\n", SettingsHelp());
  return help;
}

int RunServe(std::span<const std::string_view> args, Console& console) {
  for (const std::string_view arg : args) {
    if (arg != "--help" && arg != "-h") continue;
    console.out.Write(ServeHelp());
    return kExitOk;
  }
  std::vector<std::string_view> environment;
  for (char** each = environ; *each != nullptr; ++each) environment.emplace_back(*each);
  const ReadSettingsResult given =
      ReadSettings({.args = args, .environment = environment, .read_file = ReadFileText});
  if (HasErrors(given.problems)) {
    for (const ConfigProblem& problem : given.problems) {
      console.err.Write(Concat("sluice serve: ", Describe(given.files, problem), "\n"));
    }
    return kExitBadInput;
  }
  if (const std::string_view fault = Unsupported(given.settings); !fault.empty()) {
    console.err.Write(Concat("sluice serve: ", fault, "\n"));
    return kExitBadInput;
  }
  RaiseDescriptorBound();
  if (!given.settings.core_dumps) ForbidCoreDumps();
  Signals signals;
  const Systemd systemd([](const char* name) { return std::getenv(name); });
  const Result<Done> done = Service(given, systemd).Run(signals);
  if (done.ok()) return kExitOk;
  console.err.Write(Concat("sluice serve: ", done.error().message, "\n"));
  return kExitFailed;
}

}  // namespace sluice::cli
