// The `sluice` program: arguments in, exit code out. The commands are listed in command.cc.
#include <unistd.h>

#include <cstdlib>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include "cli/command.h"
#include "console/output.h"
#include "console/terminal.h"

int main(int argc, char** argv) {
  using sluice::cli::Output;
  const std::vector<std::string_view> args(argv + (argc > 0 ? 1 : 0), argv + argc);
  const sluice::cli::ColorWish wish{std::getenv("NO_COLOR"), std::getenv("TERM")};
  Output out(STDOUT_FILENO, InkFor(STDOUT_FILENO, wish));
  Output err(STDERR_FILENO, InkFor(STDERR_FILENO, wish));
  sluice::cli::Console console{STDIN_FILENO, out, err};
  int code = sluice::cli::RunCommand(args, console);
  out.Flush();
  if (!out.ok()) {
    err.Write("sluice: cannot write the output: " + std::generic_category().message(out.failure()) +
              "\n");
    code = sluice::cli::kExitFailed;
  }
  err.Flush();
  return code;
}
