// FindZone: time zones that need no files.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "core/calendar/calendar.h"

namespace sluice::fuzz {

// Knows "UTC", and "Europe/Berlin" with the transitions of one year. Returns null for other names.
inline std::shared_ptr<const Zone> FindZone(std::string_view name) {
  if (name == "UTC") return std::make_shared<const Zone>(Zone{"UTC", 0, {}});
  if (name != "Europe/Berlin") return nullptr;
  return std::make_shared<const Zone>(
      Zone{std::string(name), 3600, {{1'711'846'800, 7200}, {1'729'990'800, 3600}}});
}

}  // namespace sluice::fuzz
