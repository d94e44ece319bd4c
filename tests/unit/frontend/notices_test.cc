#include "frontend/notices.h"

#include <gtest/gtest.h>

#include <chrono>
#include <string>
#include <vector>

#include "core/text.h"
#include "frontend/audit_log.h"
#include "support/fake_clock.h"

namespace sluice {
namespace {

using std::chrono::seconds;

class NoticesTest : public ::testing::Test {
 protected:
  void Report(Notice kind, const std::string& text) {
    notices_.Report(kind, [&] { return text; });
  }

  testing::FakeClock clock_{Time{seconds{1'700'000'000}}};
  std::vector<std::string> lines_;
  Notices notices_{clock_, [this](std::string_view event, std::string_view text) {
                     lines_.push_back(Concat(event, ": ", text));
                   }};
  AuditLog audit_{clock_, [this](std::string_view text) { lines_.emplace_back(text); }};
};

TEST_F(NoticesTest, LogsEachKindOncePerMinuteWithACount) {
  for (const char* text : {"First.", "Second.", "Third."}) Report(Notice::kLiftIgnored, text);
  Report(Notice::kWrongCredential, "Wrong.");
  clock_.Advance(seconds{60} - Nanos{1});
  Report(Notice::kLiftIgnored, "Fourth.");
  EXPECT_EQ(lines_, (std::vector<std::string>{"lift_ignored: First.", "wrong_credential: Wrong."}));
  clock_.Advance(Nanos{1});
  Report(Notice::kLiftIgnored, "Fifth.");
  EXPECT_EQ(lines_.back(), "lift_ignored: Fifth. 3 more were not logged.");
  EXPECT_EQ(notices_.CountOf(Notice::kLiftIgnored), 5U);
  EXPECT_EQ(notices_.CountOf(Notice::kLiftRefused), 0U);
}

TEST_F(NoticesTest, LinesTellTheCountAndTheLastText) {
  std::string lines;
  notices_.AppendLines(NoticeDetail::kText, lines);
  EXPECT_EQ(lines, "");
  Report(Notice::kLiftRefused, "A\nline.");
  for (int i = 0; i < 2; ++i) Report(Notice::kWrongCredential, "Wrong.");
  notices_.AppendLines(NoticeDetail::kText, lines);
  EXPECT_EQ(lines, "lift_refused: 1 time; A\\x0aline.\nwrong_credential: 2 times; Wrong.\n");
  lines.clear();
  notices_.AppendLines(NoticeDetail::kCount, lines);
  EXPECT_EQ(lines, "lift_refused: 1 time\nwrong_credential: 2 times\n") << "for who may not know";
}

TEST_F(NoticesTest, AuditLogWritesABoundedNumberOfLinesPerSecond) {
  constexpr auto kMax = static_cast<std::size_t>(AuditLog::kMaxLinesPerSecond);
  for (std::size_t i = 0; i < kMax + 3; ++i) audit_.Add([] { return std::string("reset"); });
  EXPECT_EQ(lines_, std::vector<std::string>(kMax, "reset"));
  clock_.Advance(seconds{1});
  audit_.Add([] { return std::string("refund"); });
  EXPECT_EQ(lines_.back(), "refund; 3 more calls were not logged");
  EXPECT_EQ(audit_.count(), kMax + 4);
}

}  // namespace
}  // namespace sluice
