#include "load/expectation.h"

#include <gtest/gtest.h>

#include <chrono>
#include <optional>
#include <string>
#include <string_view>

namespace sluice {
namespace {

using namespace std::chrono_literals;

// Returns a report with 98 answers of 10 us, one refusal of 20 us, one of 5 ms, and two errors, in
// half a second.
LoadReport Report() {
  LoadReport report;
  for (int i = 0; i < 98; ++i) report.measured.AddAllowed(10us);
  report.measured.AddRefused(20us);
  report.measured.AddRefused(5ms);
  report.measured.AddErrors(2, "status 500");
  report.elapsed = 500ms;
  return report;
}

bool Holds(std::string_view text) { return Expectation::Parse(text).value().Holds(Report()); }

std::string ErrorOf(std::string_view text) {
  const Result<Expectation> read = Expectation::Parse(text);
  return read ? "no error" : read.error().message;
}

TEST(ExpectationTest, ComparesCountsAndRates) {
  EXPECT_TRUE(Holds("requests=102"));
  EXPECT_TRUE(Holds("allowed=98"));
  EXPECT_TRUE(Holds("refused=2"));
  EXPECT_TRUE(Holds("errors=2"));
  EXPECT_FALSE(Holds("errors=0"));
  EXPECT_TRUE(Holds("rate=200")) << "answers, without errors";
  EXPECT_TRUE(Holds("rate>199"));
  EXPECT_FALSE(Holds("rate>200"));
}

TEST(ExpectationTest, ComparesLatencies) {
  EXPECT_TRUE(Holds("p50<11us"));
  EXPECT_FALSE(Holds("p50<10us"));
  EXPECT_TRUE(Holds("p98<=10.2us"));
  EXPECT_TRUE(Holds("p99<21us"));
  EXPECT_FALSE(Holds("p99.5<4.9ms"));
  EXPECT_TRUE(Holds("p100=5ms"));
  EXPECT_TRUE(Holds("max=5ms"));
  EXPECT_TRUE(Holds("min=10us"));
  EXPECT_TRUE(Holds("mean=60us"));
}

TEST(ExpectationTest, UsesTheValueAtTheExactRankOfAPercentile) {
  for (const auto& [text, slow] : {std::pair{"p99.9<1ms", 1}, {"p99<1ms", 10}, {"p7<1ms", 930}}) {
    LoadReport report;
    for (int i = 0; i < 1000; ++i) report.measured.AddAllowed(i < slow ? 5ms : 10us);
    EXPECT_TRUE(Expectation::Parse(text).value().Holds(report)) << text;
    report.measured.AddAllowed(5ms);
    EXPECT_FALSE(Expectation::Parse(text).value().Holds(report)) << text;
  }
}

TEST(ExpectationTest, SupportsEveryOperator) {
  for (const auto& [text, holds] : {std::pair{"errors<2", false},
                                    {"errors<3", true},
                                    {"errors<=2", true},
                                    {"errors<=1", false},
                                    {"errors=2", true},
                                    {"errors=3", false},
                                    {"errors>=2", true},
                                    {"errors>=3", false},
                                    {"errors>1", true},
                                    {"errors>2", false},
                                    {" errors > 1 ", true}}) {
    EXPECT_EQ(Holds(text), holds) << text;
  }
}

TEST(ExpectationTest, LatencyIsNotMetWithoutAnswers) {
  LoadReport report;
  report.measured.AddErrors(1, "timed out");
  for (const std::string_view text : {"p99<1h", "max>=0s", "mean<1s"}) {
    const Expectation expectation = Expectation::Parse(text).value();
    EXPECT_FALSE(expectation.Holds(report)) << text;
    EXPECT_EQ(expectation.Found(report), std::nullopt);
  }
  EXPECT_TRUE(Expectation::Parse("rate=0").value().Holds(report));
}

TEST(ExpectationTest, ReportsTheMeasuredValue) {
  EXPECT_EQ(Expectation::Parse("max<1ms").value().Found(Report()), 5e6);
  EXPECT_TRUE(Expectation::Parse("max<1ms").value().is_latency());
  EXPECT_EQ(Expectation::Parse("rate>1000").value().Found(Report()), 200);
  EXPECT_FALSE(Expectation::Parse("rate>1000").value().is_latency());
  EXPECT_EQ(Expectation::Parse("errors = 0").value().text(), "errors = 0");
}

TEST(ExpectationTest, RejectsMalformedExpectations) {
  EXPECT_EQ(ErrorOf("p99"), "expected a comparison such as p99<1ms or errors=0, found 'p99'");
  for (const std::string_view text :
       {"p0<1ms", "p101<1ms", "p<1ms", "p9x<1ms", "pp<1ms", "<1ms", "latency<1ms", "p1e1<1ms",
        "p-1<1ms", "p99.99999<1ms", "p0.00001<1ms"}) {
    EXPECT_TRUE(ErrorOf(text).starts_with("expected a percentile such as p99")) << text;
  }
  for (const std::string_view text :
       {"p99<1", "p99<", "errors=1ms", "errors==0", "rate>1.5", "errors=-1", "p99<<1ms"}) {
    EXPECT_NE(ErrorOf(text), "no error") << text;
  }
}

}  // namespace
}  // namespace sluice
