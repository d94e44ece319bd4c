#include "core/calendar/tzif.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

#include "support/zone_offset.h"
#include "unit/core/calendar/zone_files.h"

namespace sluice {
namespace {

// Returns the number as big-endian bytes.
std::string Big(std::int64_t value, int bytes) {
  std::string out;
  for (int i = bytes - 1; i >= 0; --i) {
    out += static_cast<char>(
        (static_cast<std::uint64_t>(value) >> (8U * static_cast<unsigned>(i))) & 0xFFU);
  }
  return out;
}

// Builds a zone file. Its types are UTC offsets in seconds.
struct File {
  char version = '2';
  std::vector<std::int64_t> times;
  std::vector<int> indexes;
  std::vector<std::int32_t> types = {3600};
  std::string footer = "\n\n";

  [[nodiscard]] std::string Header(std::int64_t time_count) const {
    return "TZif" + std::string(1, version) + std::string(15, '\0') + Big(0, 4) + Big(0, 4) +
           Big(0, 4) + Big(time_count, 4) + Big(static_cast<std::int64_t>(types.size()), 4) +
           Big(4, 4);
  }

  [[nodiscard]] std::string Data(int time_bytes) const {
    std::string out;
    for (const std::int64_t time : times) out += Big(time, time_bytes);
    for (const int index : indexes) out += static_cast<char>(index);
    for (const std::int32_t type : types) out += Big(type, 4) + std::string(2, '\0');
    return out + std::string("ABC\0", 4);
  }

  [[nodiscard]] std::string Bytes() const {
    const auto count = static_cast<std::int64_t>(times.size());
    if (version == 0) return Header(count) + Data(4);
    File empty;
    empty.version = version;
    return empty.Header(0) + empty.Data(4) + Header(count) + Data(8) + footer;
  }
};

std::string ErrorOf(const std::string& bytes) {
  const Result<Zone> zone = ParseTzif("Test/Zone", bytes);
  return zone.ok() ? "accepted" : zone.error().message;
}

Zone Read(const File& file) {
  const Result<Zone> zone = ParseTzif("Test/Zone", file.Bytes());
  EXPECT_TRUE(zone.ok()) << zone.error().message;
  return zone.ok() ? zone.value() : Zone{};
}

TEST(TzifTest, UsesFirstTypeBeforeFirstChange) {
  File file;
  file.types = {-2670, 7200};
  file.times = {1000, 2000};
  file.indexes = {1, 0};
  const Zone zone = Read(file);
  EXPECT_EQ(zone.name, "Test/Zone");
  EXPECT_EQ(testing::OffsetAt(zone, 999), -2670);
  EXPECT_EQ(testing::OffsetAt(zone, 1000), 7200);
  EXPECT_EQ(testing::OffsetAt(zone, 2000), -2670);
}

TEST(TzifTest, ReadsThirtyTwoBitTimesOfVersionOne) {
  File file;
  file.version = 0;
  file.types = {0, 3600};
  file.times = {-1000};
  file.indexes = {1};
  EXPECT_EQ(testing::OffsetAt(Read(file), -1001), 0);
  EXPECT_EQ(testing::OffsetAt(Read(file), -1000), 3600);
}

TEST(TzifTest, DropsChangesThatKeepTheOffset) {
  File file;
  file.types = {3600, 3600, 0};
  file.times = {1000, 2000, 3000};
  file.indexes = {1, 2, 2};
  EXPECT_EQ(Read(file).changes.size(), 1U);
}

TEST(TzifTest, ExpandsFooterBeyondLatestTime) {
  File file;
  file.types = {0, 3600};
  file.times = {SecondsAt("2007-10-28T01:00:00Z")};
  file.indexes = {1};
  file.footer = "\nCET-1CEST,M3.5.0,M10.5.0/3\n";
  const Zone zone = Read(file);
  EXPECT_EQ(testing::OffsetAt(zone, SecondsAt("2007-10-28T01:00:00Z")), 3600);
  EXPECT_EQ(testing::OffsetAt(zone, SecondsAt("2008-03-30T00:59:59Z")), 3600);
  EXPECT_EQ(testing::OffsetAt(zone, SecondsAt("2008-03-30T01:00:00Z")), 7200);
  EXPECT_EQ(testing::OffsetAt(zone, SecondsAt("2008-10-26T01:00:00Z")), 3600);
  // The last Sunday of March 2160 is the 30th, that of October 2161 the 25th.
  EXPECT_EQ(testing::OffsetAt(zone, SecondsAt("2160-03-30T00:59:59Z")), 3600);
  EXPECT_EQ(testing::OffsetAt(zone, SecondsAt("2160-03-30T01:00:00Z")), 7200);
  EXPECT_EQ(testing::OffsetAt(zone, SecondsAt("2161-10-25T01:00:00Z")), 3600);
}

TEST(TzifTest, AppliesFooterToAllTimesIfThereAreNoChanges) {
  File file;
  file.footer = "\nEST5EDT,M3.2.0,M11.1.0\n";
  const Zone zone = Read(file);
  EXPECT_EQ(zone.first_offset, -5 * 3600);
  EXPECT_EQ(testing::OffsetAt(zone, SecondsAt("1970-07-01T00:00:00Z")), -4 * 3600);
  EXPECT_EQ(testing::OffsetAt(zone, SecondsAt("2024-01-01T00:00:00Z")), -5 * 3600);
}

TEST(TzifTest, HasNoGapInSummerTimeAllYearRound) {
  File file;
  file.footer = "\nEST5EDT,0/0,J365/25\n";
  const Zone zone = Read(file);
  for (std::int64_t at = SecondsAt("2023-12-31T00:00:00Z"); at < SecondsAt("2024-01-02T00:00:00Z");
       at += 60) {
    ASSERT_EQ(testing::OffsetAt(zone, at), -4 * 3600) << at;
  }
}

TEST(TzifTest, RejectsBadFilesWithReason) {
  const std::string start = "'Test/Zone': bad zone file: ";
  File file;
  file.types = {0, 3600};
  file.times = {1000, 2000};
  file.indexes = {1, 0};
  const std::string good = file.Bytes();
  EXPECT_EQ(ErrorOf(good), "accepted");
  EXPECT_EQ(ErrorOf(""), start + "it ends inside a header");
  EXPECT_EQ(ErrorOf(std::string(44, 'x')), start + "it does not begin with TZif");
  EXPECT_EQ(ErrorOf(good.substr(0, 50)), start + "it ends inside its data");
  EXPECT_EQ(ErrorOf(good.substr(0, good.size() - 5)), start + "it ends inside its data");
  EXPECT_EQ(ErrorOf(good.substr(0, good.size() - 1)),
            start + "its footer does not begin with a newline");

  File bad = file;
  bad.version = '1';
  EXPECT_EQ(ErrorOf(bad.Bytes()), start + "its version is unknown");
  bad = file;
  bad.times = {2000, 1000};
  EXPECT_EQ(ErrorOf(bad.Bytes()), start + "its changes are not in order");
  bad = file;
  bad.indexes = {1, 2};
  EXPECT_EQ(ErrorOf(bad.Bytes()), start + "a change has a type that is not there");
  bad = file;
  bad.types = {0, 93'600};
  EXPECT_EQ(ErrorOf(bad.Bytes()), start + "an offset is over 26 hours");
  bad = file;
  bad.types = {};
  EXPECT_EQ(ErrorOf(bad.Bytes()), start + "it has no types, or over 256");
  bad = file;
  bad.footer = "\nCET-1CEST\n";
  EXPECT_EQ(ErrorOf(bad.Bytes()), start + "its footer 'CET-1CEST' is no rule");
  bad.footer = "\nCET-1";
  EXPECT_EQ(ErrorOf(bad.Bytes()), start + "its footer does not end with a newline");
}

TEST(TzifTest, RejectsLeapSeconds) {
  const File file;
  std::string bytes = file.Bytes();
  const std::size_t second_header = 44 + file.Data(4).size();
  bytes[second_header + 31] = 1;
  bytes += std::string(12, '\0');
  EXPECT_EQ(ErrorOf(bytes), "'Test/Zone': bad zone file: it counts leap seconds");
}

TEST(TzifTest, RejectsCountsThatWouldOverflow) {
  std::string bytes = File{}.Bytes();
  for (std::size_t i = 20; i < 44; ++i) bytes[i] = '\xFF';
  EXPECT_EQ(ErrorOf(bytes), "'Test/Zone': bad zone file: it ends inside its data");
}

TEST(TzifTest, SurvivesDamagedFiles) {
  std::string good = ReadZoneBytes("Europe/Berlin");
  if (good.empty()) GTEST_SKIP() << "no zone files in " << kZoneDirectory;
  std::uint64_t random = 1;
  for (int round = 0; round < 1000; ++round) {
    std::string bytes = good;
    for (int change = 0; change < 4; ++change) {
      random = random * 6'364'136'223'846'793'005U + 1'442'695'040'888'963'407U;
      // Damage the headers and the footer more often than the bulk of the data.
      const std::size_t place = static_cast<std::size_t>(random >> 33U) % bytes.size();
      const std::size_t near_end = bytes.size() - 1 - place % 80;
      bytes[change % 2 == 0 ? place % 60 + (round % 2 == 0 ? 0 : place % 900) : near_end] =
          static_cast<char>(random >> 20U);
    }
    if (round % 7 == 0) bytes.resize(static_cast<std::size_t>(random >> 40U) % bytes.size());
    const Result<Zone> zone = ParseTzif("damaged", bytes);
    if (!zone.ok()) continue;
    WindowAt(zone.value(), CalendarUnit::kYear, At("2024-06-01T00:00:00Z"));
  }
}

TEST(TzifTest, ReadsRealZones) {
  if (!HasZoneFiles()) GTEST_SKIP() << "no zone files in " << kZoneDirectory;
  const auto offset = [](const char* name, const char* at) {
    const Result<Zone> zone = ParseTzif(name, ReadZoneBytes(name));
    return zone.ok() ? testing::OffsetAt(zone.value(), SecondsAt(at)) : -1;
  };
  EXPECT_EQ(offset("Europe/Berlin", "2024-07-01T00:00:00Z"), 7200);
  EXPECT_EQ(offset("Europe/Dublin", "2024-01-01T00:00:00Z"), 0);
  EXPECT_EQ(offset("Europe/Dublin", "2060-07-01T00:00:00Z"), 3600);
  EXPECT_EQ(offset("America/New_York", "1900-01-01T00:00:00Z"), -18000);
  EXPECT_EQ(offset("Africa/Monrovia", "1971-01-01T00:00:00Z"), -2670);
  EXPECT_EQ(offset("Australia/Lord_Howe", "2150-01-01T00:00:00Z"), 39600);
  EXPECT_EQ(offset("Pacific/Apia", "2011-12-30T09:59:59Z"), -36000);
  EXPECT_EQ(offset("Pacific/Apia", "2011-12-30T10:00:00Z"), 50400);
  EXPECT_EQ(offset("Etc/GMT+12", "2024-01-01T00:00:00Z"), -43200);
}

}  // namespace
}  // namespace sluice
