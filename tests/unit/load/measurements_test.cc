#include "load/measurements.h"

#include <gtest/gtest.h>

#include <chrono>
#include <string>

namespace sluice {
namespace {

using namespace std::chrono_literals;

TEST(MeasurementsTest, CountsErrorsSeparatelyWithoutLatency) {
  Measurements measured;
  measured.AddAllowed(1ms);
  measured.AddRefused(2ms);
  measured.AddErrors(3, "status 500");
  measured.AddErrors(0, "nothing");
  EXPECT_EQ(measured.answered(), 2U);
  EXPECT_EQ(measured.requests(), 5U);
  EXPECT_EQ(measured.latencies().total(), 2U);
  EXPECT_EQ(measured.causes().size(), 1U);
}

TEST(MeasurementsTest, AddMergesCountsLatenciesAndCauses) {
  Measurements one;
  one.AddAllowed(1ms);
  one.AddErrors(1, "a");
  Measurements other;
  other.AddRefused(3ms);
  other.AddErrors(2, "a");
  other.AddErrors(5, "b");
  one.Add(other);
  EXPECT_EQ(one.allowed(), 1U);
  EXPECT_EQ(one.refused(), 1U);
  EXPECT_EQ(one.errors(), 8U);
  EXPECT_EQ(one.causes().at("a"), 3U);
  EXPECT_EQ(one.latencies().max(), 3'000'000U);
}

TEST(MeasurementsTest, BoundsTheNumberOfCauses) {
  Measurements measured;
  for (int i = 0; i < 100; ++i) measured.AddErrors(1, "cause " + std::to_string(i));
  EXPECT_EQ(measured.errors(), 100U);
  EXPECT_EQ(measured.causes().size(), Measurements::kMaxCauses + 1);
  EXPECT_EQ(measured.causes().find(Measurements::kOtherCauses)->second, 84U);
}

TEST(MeasurementsTest, RateCountsOnlyAnswers) {
  LoadReport report;
  EXPECT_EQ(report.rate(), 0);
  report.measured.AddAllowed(1ms);
  report.measured.AddRefused(1ms);
  report.measured.AddErrors(7, "x");
  report.elapsed = 100ms;
  EXPECT_DOUBLE_EQ(report.rate(), 20);
}

}  // namespace
}  // namespace sluice
