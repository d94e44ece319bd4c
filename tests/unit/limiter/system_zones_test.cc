#include "limiter/system_zones.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <thread>
#include <vector>

#include "support/zone_offset.h"

namespace sluice {
namespace {

namespace fs = std::filesystem;

// A temporary folder per test, removed afterwards.
class SystemZonesTest : public ::testing::Test {
 protected:
  SystemZonesTest() {
    const auto* test = ::testing::UnitTest::GetInstance()->current_test_info();
    directory_ = fs::temp_directory_path() /
                 ("sluice_zones_" + std::to_string(getpid()) + "_" + test->name());
    fs::create_directories(directory_ / "Area");
  }
  ~SystemZonesTest() override { fs::remove_all(directory_); }

  void Write(const std::string& name, const std::string& bytes) const {
    std::ofstream(directory_ / name, std::ios::binary) << bytes;
  }

  // Returns a zone file of version 1 with one type: an hour ahead of UTC.
  static std::string HourAhead() {
    std::string bytes("TZif", 4);
    bytes += std::string(15 + 1, '\0') + std::string(16, '\0');
    bytes += std::string("\0\0\0\1\0\0\0\4", 8);
    bytes += std::string("\0\0\x0E\x10\0\0", 6) + std::string("ABC\0", 4);
    return bytes;
  }

  fs::path directory_;
};

TEST_F(SystemZonesTest, UtcNeedsNoFile) {
  const ZoneSource zones = SystemZones(directory_ / "not there");
  ASSERT_NE(zones("UTC"), nullptr);
  EXPECT_EQ(zones("UTC")->name, "UTC");
  EXPECT_EQ(testing::OffsetAt(*zones("UTC"), 0), 0);
}

TEST_F(SystemZonesTest, ReadsAZoneFileOnceAndSharesIt) {
  Write("Area/Town", HourAhead());
  const ZoneSource zones = SystemZones(directory_);
  const auto town = zones("Area/Town");
  ASSERT_NE(town, nullptr);
  EXPECT_EQ(town->name, "Area/Town");
  EXPECT_EQ(testing::OffsetAt(*town, 0), 3600);
  fs::remove(directory_ / "Area/Town");
  const ZoneSource copy = zones;
  EXPECT_EQ(copy("Area/Town"), town);
}

TEST_F(SystemZonesTest, FindsAFileThatIsInstalledLater) {
  const ZoneSource zones = SystemZones(directory_);
  EXPECT_EQ(zones("Area/Town"), nullptr);
  Write("Area/Town", HourAhead());
  EXPECT_NE(zones("Area/Town"), nullptr);
}

TEST_F(SystemZonesTest, RejectsNamesOutsideTheDirectory) {
  Write("Area/Town", HourAhead());
  Write("odd.name", HourAhead());
  Write("odd name", HourAhead());
  const ZoneSource zones = SystemZones(directory_ / "Area");
  EXPECT_NE(zones("Town"), nullptr);
  const std::string absolute = (directory_ / "Area" / "Town").string();
  for (const std::string& name :
       {std::string(), absolute, std::string("../Area/Town"), std::string("./Town"),
        std::string("Town\0", 5), std::string("..")}) {
    EXPECT_EQ(zones(name), nullptr) << name;
  }
  EXPECT_EQ(SystemZones(directory_)("odd.name"), nullptr);
  EXPECT_EQ(SystemZones(directory_)("odd name"), nullptr);
}

TEST_F(SystemZonesTest, RejectsFilesThatAreNoZoneFiles) {
  Write("Text", "no zone");
  Write("Empty", "");
  Write("Large", HourAhead() + std::string(std::size_t{1} << 20U, '\0'));
  const ZoneSource zones = SystemZones(directory_);
  EXPECT_EQ(zones("Text"), nullptr);
  EXPECT_EQ(zones("Empty"), nullptr);
  EXPECT_EQ(zones("Large"), nullptr);
  EXPECT_EQ(zones("Area"), nullptr);
}

TEST_F(SystemZonesTest, AllowsLookupsFromManyThreads) {
  Write("Area/Town", HourAhead());
  const ZoneSource zones = SystemZones(directory_);
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([zones] {
      for (int round = 0; round < 100; ++round) EXPECT_NE(zones("Area/Town"), nullptr);
    });
  }
  for (std::thread& thread : threads) thread.join();
}

TEST_F(SystemZonesTest, FindsTheMachinesOwnZones) {
  if (!fs::exists(fs::path(kSystemZoneDirectory) / "Europe/Berlin")) {
    GTEST_SKIP() << "no zone files in " << kSystemZoneDirectory;
  }
  const auto berlin = SystemZones()("Europe/Berlin");
  ASSERT_NE(berlin, nullptr);
  EXPECT_EQ(testing::OffsetAt(*berlin, 1'719'792'000), 7200);
  EXPECT_EQ(SystemZones()("Europe/Berlyn"), nullptr);
}

}  // namespace
}  // namespace sluice
