// Settings as flags and variables give them.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "config/setting.h"
#include "core/config_problem.h"

namespace sluice {

// One flag with all its texts, or one variable. Views the arguments or the environment.
struct GivenSetting {
  const Setting* setting = nullptr;
  std::string name;  // "--listen", "SLUICE_LISTEN"
  std::vector<std::string_view> texts;
};

// What is wrong with a flag or a variable; the name is empty where the message has it.
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

// Reads the arguments after the command's name.
//   - `--memory 1GiB` and `--memory=1GiB` are the same. A boolean stands alone, which means true,
//     or has its value after an equals sign.
//   - A flag of a list may repeat, any other may not.
//   - Unknown flags, with one dash or two, missing values and arguments that belong to no flag are
//     errors. What follows an unknown flag is taken for its value.
//   - Names that other tools have for a flag get a suggestion: of `main_flag` alone, if it is
//   given.
//   - No error shows a value, an argument that belongs to no flag, or a flag that is not much like
//     one of ours: each may be a secret.
GivenSettings ReadSettingFlags(std::span<const std::string_view> args,
                               std::string_view main_flag = {});

// Reads the environment, "NAME=VALUE" each. An unknown SLUICE_ variable is only a warning: other
// tools have such names, too. None is given for those that Kubernetes makes of services called
// sluice (SLUICE_PORT, SLUICE_SERVICE_HOST and so on).
GivenSettings ReadSettingVariables(std::span<const std::string_view> environment);

}  // namespace sluice
