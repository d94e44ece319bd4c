#include "config/settings/setting.h"

#include <cassert>

#include "base/letter_case.h"
#include "base/text.h"
#include "config/settings/settings_table.h"

namespace sluice {
namespace {

std::vector<Setting> JoinRows() {
  std::vector<Setting> all;
  for (const std::span<const Setting> rows : {ListenerRows(), StoreRows(), ServingRows()}) {
    all.insert(all.end(), rows.begin(), rows.end());
  }
  return all;
}

std::string NameOf(const Setting& setting, char between) {
  std::string name(setting.name.empty() ? setting.path : setting.name);
  for (char& c : name) {
    if (c == '.' || c == '_') c = between;
  }
  return name;
}

}  // namespace

std::span<const Setting> AllSettings() {
  static const std::vector<Setting> all = JoinRows();
  return all;
}

std::size_t IndexOf(std::string_view path) {
  const std::span<const Setting> all = AllSettings();
  std::size_t index = 0;
  while (index < all.size() && all[index].path != path) ++index;
  assert(index < all.size());
  return index;
}

std::string FlagOf(const Setting& setting) { return Concat("--", NameOf(setting, '-')); }

std::string VariableOf(const Setting& setting) {
  return Concat(kVariablePrefix, UpperCase(NameOf(setting, '_')));
}

std::string_view GroupOf(const Setting& setting) {
  const std::size_t dot = setting.path.find('.');
  return dot == std::string_view::npos ? std::string_view() : setting.path.substr(0, dot);
}

}  // namespace sluice
