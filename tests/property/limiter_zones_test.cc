// Compares the system's time zones as we read them with the C library's reading of the same files.
#include <gtest/gtest.h>

#include <cstdint>
#include <memory>
#include <string>

#include "limiter/system_zones.h"
#include "support/naive_calendar.h"
#include "support/random.h"
#include "support/zone_offset.h"

namespace sluice::testing {
namespace {

class ZonesTest : public ::testing::TestWithParam<const char*> {};

TEST_P(ZonesTest, ChangesOffsetWhenTheCLibraryDoes) {
  const std::shared_ptr<const Zone> zone = SystemZones()(GetParam());
  ASSERT_NE(zone, nullptr);
  const std::shared_ptr<const Zone> want = LibcZone(GetParam());
  std::int32_t offset = want->first_offset;
  for (const Zone::Change& change : want->changes) {
    ASSERT_EQ(OffsetAt(*zone, change.from - 1), offset) << "before " << change.from;
    ASSERT_EQ(OffsetAt(*zone, change.from), change.offset) << "at " << change.from;
    offset = change.offset;
  }
  ForEachSeed(1, [&](Random& random) {
    for (int i = 0; i < 1000; ++i) {
      const std::int64_t seconds =
          random.Between(0, kLatestTime.time_since_epoch().count() / 1'000'000'000);
      std::int32_t expected = want->first_offset;
      for (const Zone::Change& change : want->changes) {
        if (change.from <= seconds) expected = change.offset;
      }
      ASSERT_EQ(OffsetAt(*zone, seconds), expected) << "at " << seconds;
    }
  });
}

INSTANTIATE_TEST_SUITE_P(System, ZonesTest,
                         ::testing::Values("UTC", "Europe/Berlin", "Europe/Dublin", "Europe/London",
                                           "America/Sao_Paulo", "America/New_York",
                                           "America/Havana", "America/St_Johns", "America/Nuuk",
                                           "Australia/Lord_Howe", "Pacific/Apia", "Pacific/Chatham",
                                           "Africa/Casablanca", "Africa/Cairo", "Asia/Kathmandu",
                                           "Asia/Gaza", "Antarctica/Troll", "Etc/GMT+12"),
                         [](const auto& zone) {
                           std::string name = zone.param;
                           for (char& letter : name) {
                             if (letter == '/' || letter == '+' || letter == '-') letter = '_';
                           }
                           return name;
                         });

}  // namespace
}  // namespace sluice::testing
