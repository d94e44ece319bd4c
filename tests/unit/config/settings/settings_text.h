// Functions that read settings from texts, for tests.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/text.h"
#include "config/settings/read_settings.h"

namespace sluice {

// The input of a server. A settings file that is not empty is passed with --settings.
struct GivenTexts {
  std::string file = {};
  std::vector<std::string> args = {};
  std::vector<std::string> environment = {};
  std::map<std::string, std::string> files = {};  // other files, by path
  std::string file_name = "sluice.yaml";
};

inline ReadSettingsResult ReadTexts(const GivenTexts& given) {
  std::vector<std::string_view> args(given.args.begin(), given.args.end());
  const std::vector<std::string_view> environment(given.environment.begin(),
                                                  given.environment.end());
  if (!given.file.empty()) args.insert(args.end(), {"--settings", given.file_name});
  const auto read_file = [&](const std::string& path) -> Result<std::string> {
    if (path == given.file_name && !given.file.empty()) return given.file;
    const auto found = given.files.find(path);
    if (found == given.files.end()) return Error{Concat("cannot read ", Quoted(path))};
    return found->second;
  };
  return ReadSettings({args, environment, read_file});
}

// Returns every problem as a line of text.
inline std::vector<std::string> ProblemsOf(const GivenTexts& given) {
  const ReadSettingsResult read = ReadTexts(given);
  std::vector<std::string> lines;
  for (const ConfigProblem& problem : read.problems) {
    lines.push_back(Describe(read.files, problem));
  }
  return lines;
}

inline const EffectiveSetting& EffectiveOf(const ReadSettingsResult& read, std::string_view path) {
  return read.effective[IndexOf(path)];
}

using Problems = std::vector<std::string>;

}  // namespace sluice
