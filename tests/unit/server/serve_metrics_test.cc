#include "server/serve_metrics.h"

#include <gtest/gtest.h>

#include <chrono>
#include <cstddef>
#include <string>

#include "support/fake_clock.h"

namespace sluice::cli {
namespace {

class WarningLinesTest : public ::testing::Test {
 protected:
  void Report(WarningCause cause, const std::string& subject) {
    warnings_.Report(cause, subject, [] { return std::string("text"); });
  }
  std::string Lines(Names names) {
    std::string lines;
    AppendWarningLines(warnings_, names, lines);
    return lines;
  }

  testing::FakeClock clock_{Time{std::chrono::seconds{1'700'000'000}}};
  FrontWarnings warnings_{clock_, [](WarningCause, const std::string&) {}};
};

TEST_F(WarningLinesTest, ShowsOneLinePerCauseWithSubjects) {
  EXPECT_EQ(Lines(Names::kTold), "");
  Report(WarningCause::kWrongCredential, "192.0.2.1");
  for (const char* domain : {"apii", "a\npi", "apii"}) Report(WarningCause::kUnknownDomain, domain);
  EXPECT_EQ(
      Lines(Names::kTold),
      "unknown_domain: 3 calls ('apii', 'a\\x0api')\nwrong_credential: 1 call ('192.0.2.1')\n");
  EXPECT_EQ(Lines(Names::kHidden), "unknown_domain: 3 calls\nwrong_credential: 1 call\n");
}

TEST_F(WarningLinesTest, CountsSubjectsWithoutEntry) {
  for (std::size_t i = 1; i <= FrontWarnings::kMaxSubjects + 2; ++i) {
    Report(WarningCause::kLiftRefused, std::to_string(i));
  }
  EXPECT_EQ(Lines(Names::kTold),
            "lift_refused: 10 calls ('1', '2', '3', '4', '5', '6', '7', '8', others)\n");
}

TEST_F(WarningLinesTest, CountsEachCauseInMetrics) {
  Report(WarningCause::kLiftIgnored, "192.0.2.1");
  std::string text;
  MetricsText metrics(text);
  AppendWarningMetrics(warnings_, metrics);
  EXPECT_NE(text.find("sluice_warnings_total{cause=\"lift_ignored\"} 1\n"), std::string::npos);
  EXPECT_NE(text.find("sluice_warnings_total{cause=\"unknown_domain\"} 0\n"), std::string::npos);
}

}  // namespace
}  // namespace sluice::cli
