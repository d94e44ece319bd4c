// ReadSettings: the settings of a server, from flags, variables and a file.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "config/setting.h"
#include "core/config_problem.h"
#include "sluice/result.h"

namespace sluice {

struct SettingsInput {
  std::span<const std::string_view> args;         // after the name of the command
  std::span<const std::string_view> environment;  // "NAME=VALUE", all of it
  // How files are read: the settings file, and those that hold secrets.
  std::function<Result<std::string>(const std::string& path)> read_file;
  // The one flag that a command is about, for suggestions; empty for one that uses them all.
  std::string_view main_flag = {};
};

// The value of one setting and where it came from.
struct EffectiveSetting {
  const Setting* setting = nullptr;
  std::string text;  // as it would be written; empty where there is none, "(secret)" for a secret
  std::string from;  // "default", "sluice.yaml:3:11", "SLUICE_MEMORY" or "--memory"
};

struct ReadSettingsResult {
  Settings settings;                        // to be used only where there are no errors
  std::vector<EffectiveSetting> effective;  // as AllSettings has them
  std::vector<std::string> files;           // the origins of problems; flags and variables, too
  std::vector<ConfigProblem> problems;
};

// Reads everything that is given, strictly; a flag wins over a variable, that over the file, and
// the file over the default. All problems of all ways are reported, also of values that another
// way overrules, and what contradicts one another (CheckSettings).
//
// A secret or its *_file is used, whichever was given the stronger way; one line break at the end
// of the file does not count. A password from `store.password` is put into `store.url`.
ReadSettingsResult ReadSettings(const SettingsInput& input);

// One line for each flag, by group.
std::string SettingsHelp();

}  // namespace sluice
