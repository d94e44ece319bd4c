// The zone files of this machine, and times written as text, for tests.
#pragma once

#include <gtest/gtest.h>

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <string_view>
#include <vector>

#include "core/calendar/calendar.h"
#include "core/calendar/tzif.h"
#include "sluice/time.h"

namespace sluice {

inline const std::filesystem::path kZoneDirectory = "/usr/share/zoneinfo";

inline std::string ReadZoneBytes(std::string_view name) {
  std::ifstream file(kZoneDirectory / name, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

inline Zone LoadZone(const std::string& name) {
  Result<Zone> zone = ParseTzif(name, ReadZoneBytes(name));
  EXPECT_TRUE(zone.ok()) << name;
  return zone.ok() ? zone.value() : Zone{};
}

inline bool HasZoneFiles() { return !ReadZoneBytes("Europe/Berlin").empty(); }

// Reads a time such as "2024-03-31T10:00:00Z".
inline Time At(std::string_view text) {
  const auto number = [text](std::size_t from, std::size_t size) {
    return std::stoi(std::string(text.substr(from, size)));
  };
  const std::chrono::year_month_day date{std::chrono::year{number(0, 4)},
                                         std::chrono::month(static_cast<unsigned>(number(5, 2))),
                                         std::chrono::day(static_cast<unsigned>(number(8, 2)))};
  return Time{std::chrono::sys_days{date}} + std::chrono::hours{number(11, 2)} +
         std::chrono::minutes{number(14, 2)} + std::chrono::seconds{number(17, 2)};
}

// Returns the time as seconds since 1970.
inline std::int64_t SecondsAt(std::string_view text) {
  return std::chrono::duration_cast<std::chrono::seconds>(At(text).time_since_epoch()).count();
}

}  // namespace sluice
