#include "simulate/plot.h"

#include <gtest/gtest.h>

#include <chrono>
#include <string>
#include <vector>

#include "simulate/plot_marks.h"
#include "simulate/svg.h"

namespace sluice::cli {
namespace {

using namespace std::chrono_literals;

Plot SmallPlot() {
  Plot plot;
  plot.title = "1/s, burst 5";
  plot.end = Time(10s);
  plot.marks = {{Time(0s), true}, {Time(0s), true}, {Time(5s), false}};
  plot.curve_top = 5;
  plot.curve = {{Time(0s), 5}, {Time(0s), 3}, {Time(10s), 5}};
  return plot;
}

bool Contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

TEST(PlotMarksTest, PlacesSeparateMarksOnAxis) {
  const TimeScale scale{Time{}, 10s, 100, 1000};
  const std::vector<Mark> marks = {{Time(0s), true}, {Time(1s), false}, {Time(10s), true}};
  const auto placed = PileMarks(marks, scale, 10, 3);
  ASSERT_TRUE(placed.has_value());
  EXPECT_DOUBLE_EQ((*placed)[0].x, 100);
  EXPECT_DOUBLE_EQ((*placed)[1].x, 200);
  EXPECT_DOUBLE_EQ((*placed)[2].x, 1100);
  for (const PlacedMark& mark : *placed) EXPECT_EQ(mark.level, 0);
  EXPECT_FALSE((*placed)[1].allowed);
}

TEST(PlotMarksTest, StacksMarksOfOneInstantInOrder) {
  const TimeScale scale{Time{}, 10s, 0, 1000};
  const std::vector<Mark> marks(3, Mark{Time(1s), true});
  const auto placed = PileMarks(marks, scale, 10, 3);
  ASSERT_TRUE(placed.has_value());
  EXPECT_EQ((*placed)[0].level, 0);
  EXPECT_EQ((*placed)[1].level, 1);
  EXPECT_EQ((*placed)[2].level, 2);
  EXPECT_FALSE(PileMarks(marks, scale, 10, 2).has_value());
}

TEST(PlotMarksTest, CountsMarksPerInterval) {
  const std::vector<Mark> marks = {
      {Time(0s), true}, {Time(999ms), false}, {Time(1s), true}, {Time(7s), false}};
  const std::vector<Bar> bars = CountMarks(marks, Time{}, 1s);
  ASSERT_EQ(bars.size(), 3U);
  EXPECT_EQ(bars[0].allowed, 1);
  EXPECT_EQ(bars[0].refused, 1);
  EXPECT_EQ(bars[1].from, Time(1s));
  EXPECT_EQ(bars[2].from, Time(7s));
  EXPECT_EQ(bars[2].refused, 1);
}

TEST(PlotTest, DescribesItsContent) {
  const std::string svg = DrawPlot(SmallPlot());
  EXPECT_TRUE(svg.starts_with("<svg xmlns="));
  EXPECT_TRUE(svg.ends_with("</svg>\n"));
  EXPECT_TRUE(Contains(svg, "Limit 1/s, burst 5<"));
  EXPECT_TRUE(Contains(svg, "2 allowed, 1 refused"));
  EXPECT_TRUE(Contains(svg, ">units left<"));
  EXPECT_TRUE(Contains(svg, "10 s<"));
  EXPECT_FALSE(Contains(svg, "<script"));
}

TEST(PlotTest, DrawsManyMarksAsBarsInASmallFile) {
  Plot plot = SmallPlot();
  plot.marks.clear();
  for (int i = 0; i < 100'000; ++i) plot.marks.push_back({Time(i * 100us), i % 3 == 0});
  const std::string svg = DrawPlot(plot);
  EXPECT_TRUE(Contains(svg, "requests in 100ms"));
  EXPECT_TRUE(Contains(svg, "33,334 allowed, 66,666 refused"));
  EXPECT_LT(svg.size(), 100'000U);
}

TEST(PlotTest, ShowsCurrentDatesRelativeToFirstStep) {
  Plot plot = SmallPlot();
  const Nanos start = 1'700'000'000s;
  plot.start += start;
  plot.end += start;
  for (Mark& mark : plot.marks) mark.t += start;
  for (CurvePoint& point : plot.curve) point.t += start;
  const std::string svg = DrawPlot(plot);
  EXPECT_TRUE(Contains(svg, "time since 2023-11-14 22:13:20 UTC"));
  EXPECT_TRUE(Contains(svg, ">10 s<"));
}

TEST(PlotTest, ShowsWaitForPacer) {
  Plot plot = SmallPlot();
  plot.curve_of = CurveOf::kWait;
  plot.curve_top = 2'000'000'000;
  const std::string svg = DrawPlot(plot);
  EXPECT_TRUE(Contains(svg, "wait of the next request"));
  EXPECT_TRUE(Contains(svg, ">1.5 s<"));
}

TEST(PlotTest, EscapesKeys) {
  Plot plot = SmallPlot();
  plot.several_keys = true;
  plot.key = "<a&b>";
  EXPECT_TRUE(Contains(DrawPlot(plot), "&lt;a&amp;b&gt;"));
}

TEST(SvgTest, ReplacesCharactersThatXmlForbids) {
  EXPECT_EQ(XmlText("a<b>&\"c\""), "a&lt;b&gt;&amp;&quot;c&quot;");
  EXPECT_EQ(XmlText(std::string("\x01", 1)), "\xEF\xBF\xBD");
  EXPECT_EQ(XmlText("\xFFz"), "\xEF\xBF\xBDz");
  EXPECT_EQ(XmlText("\xEF\xBF\xBF"), "\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD");
  EXPECT_EQ(XmlText("µ"), "µ");
}

TEST(SvgTest, RoundsCoordinatesToOneDecimal) {
  EXPECT_EQ(Coordinate(12), "12");
  EXPECT_EQ(Coordinate(12.34), "12.3");
  EXPECT_EQ(Coordinate(-0.01), "0");
}

}  // namespace
}  // namespace sluice::cli
