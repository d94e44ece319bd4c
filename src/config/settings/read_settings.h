// ReadSettings: reads the settings of a server from flags, variables and a file.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/config_problem.h"
#include "config/settings/setting.h"
#include "sluice/result.h"

namespace sluice {

struct SettingsInput {
  std::span<const std::string_view> args;         // after the name of the command
  std::span<const std::string_view> environment;  // "NAME=VALUE", all of it
  // Reads a file: the settings file, or a file that holds a secret.
  std::function<Result<std::string>(const std::string& path)> read_file;
  // The main flag of a command that uses only a few settings, for suggestions; empty for `serve`.
  std::string_view main_flag = {};
};

// The value of a setting and where it came from.
struct EffectiveSetting {
  const Setting* setting = nullptr;
  std::string text;  // as it would be written: empty if not set, "(secret)" for a secret
  std::string from;  // "default", "sluice.yaml:3:11", "SLUICE_MEMORY" or "--memory"
};

struct ReadSettingsResult {
  Settings settings;                        // valid only if there are no errors
  std::vector<EffectiveSetting> effective;  // in the order of AllSettings
  std::vector<std::string> files;           // origins of problems, including flags and variables
  std::vector<ConfigProblem> problems;
};

// Reads all inputs strictly. A flag overrides a variable, which overrides the file, which overrides
// the default. Reports the problems of every input, including values that another input overrides,
// and conflicts between settings (CheckSettings).
//
// A secret and its *_file setting are alternatives: the one given by the stronger input is used,
// and giving both in the same input is an error. One line break at the end of the file is ignored.
// The password of `store.password` is copied into `store.url`.
ReadSettingsResult ReadSettings(const SettingsInput& input);

// Returns the help text for all flags, by group.
std::string SettingsHelp();

}  // namespace sluice
