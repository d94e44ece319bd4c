#include "frontend/audit_log.h"

#include <gtest/gtest.h>

#include <chrono>
#include <cstddef>
#include <string>
#include <vector>

#include "support/fake_clock.h"

namespace sluice {
namespace {

using std::chrono::seconds;

TEST(AuditLogTest, WritesABoundedNumberOfLinesPerSecond) {
  testing::FakeClock clock(Time{seconds{1'700'000'000}});
  std::vector<std::string> lines;
  AuditLog audit(clock, [&](std::string_view text) { lines.emplace_back(text); });
  constexpr auto kMax = static_cast<std::size_t>(AuditLog::kMaxLinesPerSecond);
  for (std::size_t i = 0; i < kMax + 3; ++i) audit.Add([] { return std::string("reset"); });
  EXPECT_EQ(lines, std::vector<std::string>(kMax, "reset"));
  clock.Advance(seconds{1});
  audit.Add([] { return std::string("refund"); });
  EXPECT_EQ(lines.back(), "refund; 3 more calls were not logged");
  EXPECT_EQ(audit.count(), kMax + 4);
}

}  // namespace
}  // namespace sluice
