// SettingsDraft: settings while they are being read.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/config_problem.h"
#include "config/settings/setting.h"

namespace sluice {

// The sources of a value, weakest first; a later one overrides the earlier ones.
enum class SettingWay : std::uint8_t { kDefault, kFile, kVariable, kFlag };

// The settings read so far, where each came from, and the problems found. Invariant: given[i]
// describes AllSettings()[i].
struct SettingsDraft {
  struct Given {
    SettingWay way = SettingWay::kDefault;
    Origin origin;
    bool bad = false;  // a value given for it, from any source, is invalid
  };

  SettingsDraft() : given(AllSettings().size()) {}

  std::uint32_t AddFile(std::string name) {
    files.push_back(std::move(name));
    return static_cast<std::uint32_t>(files.size() - 1);
  }

  [[nodiscard]] const Given& Of(std::string_view path) const { return given[IndexOf(path)]; }
  [[nodiscard]] bool IsGiven(std::string_view path) const {
    return Of(path).way != SettingWay::kDefault;
  }

  Settings settings;
  std::vector<Given> given;
  std::vector<std::string> files;  // also the names of flags and variables
  ConfigProblems problems;
};

}  // namespace sluice
