#include "simulate/plot_scale.h"

#include <gtest/gtest.h>

#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

namespace sluice::cli {
namespace {

using namespace std::chrono_literals;

std::vector<std::string> Labels(const std::vector<Tick>& ticks) {
  std::vector<std::string> labels;
  for (const Tick& tick : ticks) labels.push_back(tick.label);
  return labels;
}

using Words = std::vector<std::string>;

TEST(PlotScaleTest, ChoosesRoundTimeSteps) {
  EXPECT_EQ(NiceTimeStep(10ns, 10), 1ns);
  EXPECT_EQ(NiceTimeStep(11ns, 10), 2ns);
  EXPECT_EQ(NiceTimeStep(1s, 12), 100ms);
  EXPECT_EQ(NiceTimeStep(5s, 12), 500ms);
  EXPECT_EQ(NiceTimeStep(7s, 12), 1s);
  EXPECT_EQ(NiceTimeStep(100s, 12), 10s);
  EXPECT_EQ(NiceTimeStep(150s, 12), 15s);
  EXPECT_EQ(NiceTimeStep(1h, 12), 5min);
  EXPECT_EQ(NiceTimeStep(24h, 12), 2h);
  EXPECT_EQ(NiceTimeStep(30h, 12), 3h);
  EXPECT_EQ(NiceTimeStep(24h * 30, 12), 24h * 5);
}

TEST(PlotScaleTest, DividesEverySpanIntoAtMostTheMaximumOfParts) {
  for (std::int64_t span = 1; span < kLatestTime.time_since_epoch().count() / 3;
       span = span * 3 + 1) {
    const Nanos step = NiceTimeStep(Nanos(span), 12);
    EXPECT_LE(Nanos(span) / step, 12) << span;
    // The step must not be too coarse either, if the span is long enough to be divided.
    if (span > 12) {
      EXPECT_GE(Nanos(span) / step, 4) << span;
    }
  }
}

TEST(PlotScaleTest, LabelsTicksWithTheirUnits) {
  EXPECT_EQ(Labels(TimeTicks(0s, 3s, 6)),
            (Words{"0", "0.5 s", "1 s", "1.5 s", "2 s", "2.5 s", "3 s"}));
  EXPECT_EQ(Labels(TimeTicks(0s, 40ms, 4)), (Words{"0", "10 ms", "20 ms", "30 ms", "40 ms"}));
  EXPECT_EQ(Labels(TimeTicks(0s, 20min, 4)), (Words{"0", "5 min", "10 min", "15 min", "20 min"}));
  EXPECT_EQ(Labels(TimeTicks(0s, 90s, 3)), (Words{"0", "30 s", "60 s", "90 s"}));
  EXPECT_EQ(Labels(TimeTicks(0s, 24h, 4)), (Words{"0", "6 h", "12 h", "18 h", "24 h"}));
  EXPECT_EQ(Labels(TimeTicks(0s, 3ns, 3)), (Words{"0", "1 ns", "2 ns", "3 ns"}));
}

TEST(PlotScaleTest, PlacesFirstTickWithinTheSpan) {
  EXPECT_EQ(Labels(TimeTicks(5500ms, 8500ms, 3)), (Words{"6 s", "7 s", "8 s"}));
}

TEST(PlotScaleTest, LimitsTicksOfTheLongestAxis) {
  EXPECT_LE(TimeTicks(0s, kLatestTime.time_since_epoch(), 12).size(), 13U);
}

TEST(PlotScaleTest, UsesWholeUnitTicksUpToTop) {
  EXPECT_EQ(Labels(UnitTicks(5, 5)), (Words{"0", "1", "2", "3", "4", "5"}));
  EXPECT_EQ(Labels(UnitTicks(1, 4)), (Words{"0", "1"}));
  EXPECT_EQ(Labels(UnitTicks(30, 4)), (Words{"0", "10", "20", "30"}));
  EXPECT_EQ(Labels(UnitTicks(7, 4)), (Words{"0", "2", "4", "6"}));
  EXPECT_LE(UnitTicks(INT64_MAX, 4).size(), 5U);
}

TEST(PlotScaleTest, FormatsUnitsWithSeparatorsAndMillions) {
  EXPECT_EQ(UnitsText(0), "0");
  EXPECT_EQ(UnitsText(999), "999");
  EXPECT_EQ(UnitsText(1000), "1,000");
  EXPECT_EQ(UnitsText(123456), "123,456");
  EXPECT_EQ(UnitsText(2'000'000), "2 M");
  EXPECT_EQ(UnitsText(2'500'000), "2.5 M");
  EXPECT_EQ(UnitsText(1'234'567), "1,234,567");
  EXPECT_EQ(UnitsText(1'000'000'000'000), "1 T");
}

}  // namespace
}  // namespace sluice::cli
