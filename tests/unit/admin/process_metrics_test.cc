#include "admin/process_metrics.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <string>

namespace sluice {
namespace {

// Uses a directory that looks like /proc.
class ProcessMetricsTest : public ::testing::Test {
 protected:
  ProcessMetricsTest() {
    std::string pattern = ::testing::TempDir() + "sluice-proc-XXXXXX";
    proc_ = mkdtemp(pattern.data());
    std::filesystem::create_directories(proc_ + "/self/fd");
  }
  ~ProcessMetricsTest() override { std::filesystem::remove_all(proc_); }

  void Write(const std::string& name, const std::string& text) {
    std::ofstream(proc_ + "/" + name) << text;
  }

  std::string proc_;
};

TEST_F(ProcessMetricsTest, ReadsNumbersDespiteOddProgramName) {
  Write("self/stat", "7 (a ) R 9) S 1 2 3 4 5 6 7 8 9 10 150 50 0 0 20 0 3 0 300 4096000 25 0 0\n");
  Write("stat", "cpu 1 2 3\nbtime 1700000000\nprocesses 5\n");
  for (const std::string name : {"0", "1", "2"}) Write("self/fd/" + name, "");
  const ProcessNumbers numbers = ReadProcess(proc_);
  const auto ticks = [](std::int64_t count) {
    return Nanos{count * 1'000'000'000 / sysconf(_SC_CLK_TCK)};
  };
  EXPECT_EQ(numbers.cpu, ticks(200));
  EXPECT_EQ(numbers.started, Time{std::chrono::seconds{1'700'000'000}} + ticks(300));
  EXPECT_EQ(numbers.virtual_bytes, 4'096'000U);
  EXPECT_EQ(numbers.resident_bytes, 25U * static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE)));
  EXPECT_EQ(numbers.open_descriptors, 3U);
  EXPECT_GT(numbers.max_descriptors.value_or(0), 0U);
}

TEST_F(ProcessMetricsTest, OmitsUnreadableNumbers) {
  std::filesystem::remove_all(proc_ + "/self");
  ProcessNumbers numbers = ReadProcess(proc_);
  numbers.max_descriptors.reset();
  std::string text;
  MetricsText out(text);
  AppendProcessMetrics(numbers, out);
  EXPECT_EQ(text, "");
  std::filesystem::create_directories(proc_ + "/self");
  for (const std::string bad : {"", "7 (sluice", "7 (sluice)", "7 (sluice) S 1 2 x"}) {
    Write("self/stat", bad);
    EXPECT_EQ(ReadProcess(proc_).cpu, std::nullopt) << bad;
    EXPECT_EQ(ReadProcess(proc_).started, std::nullopt) << bad;
  }
}

TEST_F(ProcessMetricsTest, WritesStandardPrometheusNames) {
  std::string text;
  MetricsText out(text);
  AppendProcessMetrics({.cpu = Nanos{1'500'000'000},
                        .started = Time{std::chrono::milliseconds{1'700'000'000'250}},
                        .resident_bytes = 3,
                        .virtual_bytes = 4,
                        .open_descriptors = 5,
                        .max_descriptors = 6},
                       out);
  for (const std::string line :
       {"process_cpu_seconds_total 1.5\n", "process_start_time_seconds 1700000000.25\n",
        "process_resident_memory_bytes 3\n", "process_virtual_memory_bytes 4\n",
        "process_open_fds 5\n", "process_max_fds 6\n"}) {
    EXPECT_NE(text.find("\n" + line), std::string::npos) << line;
  }
}

// Reads the real /proc.
TEST_F(ProcessMetricsTest, ReadsNumbersOfThisProcess) {
  const ProcessNumbers numbers = ReadProcess("/proc");
  EXPECT_TRUE(numbers.cpu.has_value());
  EXPECT_TRUE(numbers.started.has_value());
  EXPECT_GT(numbers.resident_bytes.value_or(0), 0U);
  EXPECT_GT(numbers.open_descriptors.value_or(0), 2U);
}

}  // namespace
}  // namespace sluice
