#include "simulate/envelope.h"

#include <gtest/gtest.h>

#include <chrono>
#include <vector>

namespace sluice::cli {
namespace {

using namespace std::chrono_literals;

TEST(EnvelopeTest, KeepsFewPointsInOrder) {
  Envelope envelope(Time(0s), Time(10s), 10);
  const std::vector<CurvePoint> points = {
      {Time(0s), 5}, {Time(0s), 3}, {Time(4s), 4}, {Time(10s), 1}};
  for (const CurvePoint& point : points) envelope.Add(point);
  EXPECT_EQ(envelope.Points(), points);
}

TEST(EnvelopeTest, KeepsFirstLowestHighestAndLastPointOfEachPart) {
  Envelope envelope(Time(0s), Time(10s), 1);
  for (const int value : {5, 6, 1, 4, 9, 7, 3}) envelope.Add({Time(1s), value});
  const std::vector<CurvePoint> kept = {{Time(1s), 5}, {Time(1s), 1}, {Time(1s), 9}, {Time(1s), 3}};
  EXPECT_EQ(envelope.Points(), kept);
}

TEST(EnvelopeTest, BoundsNumberOfPoints) {
  Envelope envelope(Time(3s), Time(100s), 600);
  for (int i = 0; i <= 97'000; ++i) envelope.Add({Time(3s + i * 1ms), i % 7});
  EXPECT_LE(envelope.Points().size(), 4U * 601);
}

TEST(EnvelopeTest, AcceptsSpanWithFewerNanosecondsThanParts) {
  Envelope envelope(Time(0ns), Time(3ns), 600);
  for (int i = 0; i <= 3; ++i) envelope.Add({Time(Nanos(i)), i});
  EXPECT_EQ(envelope.Points().size(), 4U);
}

}  // namespace
}  // namespace sluice::cli
