// Reads settings as text from command-line flags and environment variables.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/config_problem.h"
#include "config/settings/setting.h"

namespace sluice {

// A flag with all of its values, or a variable. The views point into the arguments or the
// environment.
struct GivenSetting {
  const Setting* setting = nullptr;
  std::string name;  // "--listen", "SLUICE_LISTEN"
  std::vector<std::string_view> texts;
};

// A problem with a flag or a variable. `name` is empty if the message already contains the name.
struct GivenProblem {
  std::string name;
  ConfigProblem::Severity severity = ConfigProblem::Severity::kError;
  std::string message;
};

struct GivenSettings {
  std::vector<GivenSetting> settings;
  std::optional<std::string> settings_file;
  std::vector<GivenProblem> problems;
};

// Reads the arguments that follow the name of the command.
//   - `--memory 1GiB` and `--memory=1GiB` are the same. A boolean flag without a value means true;
//     a value must follow an equals sign.
//   - Only flags of lists may be repeated.
//   - Unknown flags (with one or two dashes), missing values and arguments without a flag are
//     errors. An argument that follows an unknown flag is taken as its value.
//   - Names that other tools use for a flag get a suggestion. If `main_flag` is given, it is the
//     only flag suggested for them.
//   - No error shows a value, an argument without a flag, or an unknown flag that does not resemble
//     a known one, because each may be a secret.
GivenSettings ReadSettingFlags(std::span<const std::string_view> args,
                               std::string_view main_flag = {});

// Reads the environment, one "NAME=VALUE" per element. An unknown SLUICE_ variable is only a
// warning, because other tools may use the prefix. Variables that Kubernetes sets for a service
// named sluice (SLUICE_PORT, SLUICE_SERVICE_HOST and so on) are ignored.
GivenSettings ReadSettingVariables(std::span<const std::string_view> environment);

}  // namespace sluice
