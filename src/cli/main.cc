// The `sluice` program: arguments in, exit code out. What it can do is in command.cc.
#include <unistd.h>

#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include "cli/command.h"
#include "cli/output.h"

int main(int argc, char** argv) {
  using sluice::cli::Output;
  const std::vector<std::string_view> args(argv + (argc > 0 ? 1 : 0), argv + argc);
  Output out(STDOUT_FILENO);
  Output err(STDERR_FILENO);
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
