// SettingsDraft: settings while they are read.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "config/setting.h"
#include "core/config_problem.h"

namespace sluice {

// The ways to give a setting; a later one wins.
enum class SettingWay : std::uint8_t { kDefault, kFile, kVariable, kFlag };

// The settings so far, where each came from, and what is wrong. A plain structure whose parts go
// together: given[i] is about AllSettings()[i].
struct SettingsDraft {
  struct Given {
    SettingWay way = SettingWay::kDefault;
    Origin origin;
    bool bad = false;  // what was written for it, by any way, is wrong
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
  std::vector<std::string> files;  // also flags and variables
  ConfigProblems problems;
};

}  // namespace sluice
