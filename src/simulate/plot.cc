#include "simulate/plot.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <string_view>

#include "base/text.h"
#include "console/duration_text.h"
#include "simulate/plot_marks.h"
#include "simulate/plot_scale.h"
#include "simulate/plot_style.h"
#include "simulate/svg.h"

namespace sluice::cli {
namespace {

// Layout in SVG units: requests above, the curve below, and one time axis for both.
constexpr int kWidth = 1200;
constexpr int kHeight = 600;
constexpr double kLeft = 84;
constexpr double kRight = 1168;
constexpr double kRequestsTop = 130;
constexpr double kRequestsBottom = 270;
constexpr double kCurveTop = 322;
constexpr double kCurveBottom = 530;

constexpr std::int64_t kTimeTicks = 12;
constexpr std::int64_t kCurveTicks = 4;
constexpr std::int64_t kBarTicks = 3;
constexpr std::int64_t kBars = 160;

// Distances between marks, tried from the widest. A cross is still recognizable at the smallest.
constexpr std::array kPitches = {16.0, 13.0, 10.0, 8.0};

// Returns whether times are shown relative to the first step, because they are far from 0 (for
// example, today's dates).
bool FromFirstStep(const Plot& plot) {
  return plot.start.time_since_epoch() / 10 > plot.end - plot.start;
}

Time Origin(const Plot& plot) { return FromFirstStep(plot) ? plot.start : Time{}; }

std::string UtcText(Time t) {
  const auto day = std::chrono::floor<std::chrono::days>(t);
  const std::chrono::year_month_day date(day);
  const std::int64_t second = std::chrono::floor<std::chrono::seconds>(t - day).count();
  const auto two = [](std::int64_t n) { return std::to_string(100 + n).substr(1); };
  return std::to_string(static_cast<int>(date.year())) + "-" +
         two(static_cast<unsigned>(date.month())) + "-" + two(static_cast<unsigned>(date.day())) +
         " " + two(second / 3600) + ":" + two(second / 60 % 60) + ":" + two(second % 60) + " UTC";
}

// Draws one plot.
class Drawing {
 public:
  explicit Drawing(const Plot& plot)
      : plot_(plot),
        scale_{plot.start, plot.end - plot.start, kLeft, kRight - kLeft},
        svg_(kWidth, kHeight, kPlotStyle) {}

  std::string Draw() {
    svg_.Describe("Limit " + plot_.title, Counts());
    svg_.Raw(kPlotPatterns);
    svg_.Box("paper", {0, 0}, kWidth, kHeight);
    DrawHeading();
    DrawTimeAxis();
    DrawRequests();
    DrawCurve();
    return svg_.Finish();
  }

 private:
  [[nodiscard]] std::string Counts() const {
    const auto allowed = std::count_if(plot_.marks.begin(), plot_.marks.end(),
                                       [](const Mark& mark) { return mark.allowed; });
    const auto refused = static_cast<std::int64_t>(plot_.marks.size()) - allowed;
    return UnitsText(allowed) + " allowed, " + UnitsText(refused) + " refused";
  }

  [[nodiscard]] std::string CurveName() const {
    std::string name =
        plot_.curve_of == CurveOf::kUnitsLeft ? "units left" : "wait of the next request";
    if (plot_.several_keys) name += ", key \"" + plot_.key + "\" (one of several)";
    return name;
  }

  void DrawHeading() {
    const std::string_view size = plot_.title.size() > 90   ? "title small"
                                  : plot_.title.size() > 50 ? "title medium"
                                                            : "title";
    svg_.Text(size, {kLeft, 52}, "start", "Limit " + plot_.title);
    svg_.Text("counts", {kLeft, 84}, "start", Counts());
  }

  void DrawTimeAxis() {
    const Time origin = Origin(plot_);
    for (const Tick& tick : TimeTicks(plot_.start - origin, plot_.end - origin, kTimeTicks)) {
      const double x = scale_.X(origin + Nanos(tick.value));
      svg_.Line("grid", {x, kRequestsTop}, {x, kRequestsBottom});
      svg_.Line("grid", {x, kCurveTop}, {x, kCurveBottom});
      svg_.Text("tick", {x, kCurveBottom + 24}, "middle", tick.label);
    }
    const std::string name =
        FromFirstStep(plot_) ? "time since " + UtcText(plot_.start) : std::string("time");
    svg_.Text("name", {kRight, kCurveBottom + 52}, "end", name);
  }

  void DrawRequests() {
    for (const double pitch : kPitches) {
      const int levels = static_cast<int>((kRequestsBottom - kRequestsTop) / pitch);
      if (const auto placed = PileMarks(plot_.marks, scale_, pitch, levels)) {
        DrawMarks(*placed, pitch);
        return;
      }
    }
    DrawBars();
  }

  void DrawMarks(const std::vector<PlacedMark>& placed, double pitch) {
    const double arm = pitch * 0.3;
    const std::string cross = PathPart('l', {2 * arm, 2 * arm}) + PathPart('m', {-2 * arm, 0}) +
                              PathPart('l', {2 * arm, -2 * arm});
    std::string dots;
    std::string crosses;
    for (const PlacedMark& mark : placed) {
      const Point at{mark.x, kRequestsBottom - (mark.level + 0.55) * pitch};
      if (mark.allowed) {
        dots += PathPart('M', at) + "h0";
      } else {
        crosses += PathPart('M', {at.x - arm, at.y - arm}) + cross;
      }
    }
    svg_.Raw("<g style=\"stroke-width:" + Coordinate(pitch * 0.76) + "\">\n");
    svg_.Path("dots", dots);
    svg_.Raw("</g>\n<g style=\"stroke-width:" + Coordinate(pitch * 0.22) + "\">\n");
    svg_.Path("crosses", crosses);
    svg_.Raw("</g>\n");
    svg_.Line("axis", {kLeft, kRequestsBottom}, {kRight, kRequestsBottom});
    svg_.Text("name", {kLeft, kRequestsTop - 10}, "start", "requests");
    DrawLegend(
        "<path class=\"dots\" style=\"stroke-width:11\" d=\"M0,0h0\"/>",
        "<path class=\"crosses\" style=\"stroke-width:3\" d=\"M-5,-5l10,10m-10,0l10,-10\"/>");
  }

  void DrawBars() {
    const Nanos width = NiceTimeStep(scale_.span, kBars);
    const Time origin = Origin(plot_);
    const std::vector<Bar> bars = CountMarks(plot_.marks, origin, width);
    std::int64_t top = 1;
    for (const Bar& bar : bars) top = std::max(top, bar.allowed + bar.refused);
    const auto y = [&](std::int64_t count) {
      return kRequestsBottom - (kRequestsBottom - kRequestsTop) * static_cast<double>(count) /
                                   static_cast<double>(top);
    };
    DrawValueTicks(UnitTicks(top, kBarTicks), y);
    std::string allowed;
    std::string refused;
    for (const Bar& bar : bars) {
      const double from = std::max(scale_.X(bar.from), kLeft) + 0.5;
      const double to = std::max(std::min(scale_.X(bar.from + width), kRight) - 0.5, from + 1);
      const auto box = [&](double upper, double lower) {
        return PathPart('M', {from, lower}) + "V" + Coordinate(upper) + "H" + Coordinate(to) + "V" +
               Coordinate(lower) + "Z";
      };
      if (bar.allowed > 0) allowed += box(y(bar.allowed), y(0));
      if (bar.refused > 0) refused += box(y(bar.allowed + bar.refused), y(bar.allowed));
    }
    svg_.Path("bars allowed", allowed);
    svg_.Path("bars refused", refused);
    svg_.Path("bars hatch", refused);
    svg_.Line("axis", {kLeft, kRequestsBottom}, {kRight, kRequestsBottom});
    svg_.Text("name", {kLeft, kRequestsTop - 10}, "start", "requests in " + DurationText(width));
    DrawLegend("<path class=\"bars allowed\" d=\"M-7,-7H7V7H-7Z\"/>",
               "<path class=\"bars refused\" d=\"M-7,-7H7V7H-7Z\"/>"
               "<path class=\"bars hatch\" d=\"M-7,-7H7V7H-7Z\"/>");
  }

  // Placed from the right edge to the left. The width of the text is estimated from its length,
  // because the font is not known.
  void DrawLegend(std::string_view allowed, std::string_view refused) {
    constexpr double kLetter = 8.2;
    constexpr double kGap = 40;
    const auto entry = [&](double right, std::string_view words, std::string_view sign) {
      const double x = right - kLetter * static_cast<double>(words.size());
      svg_.Raw("<g transform=\"translate(" + Coordinates({x - 14, 79}) + ")\">" +
               std::string(sign) + "</g>\n");
      svg_.Text("legend", {x, 84}, "start", words);
      return x - kGap;
    };
    const std::string_view curve = plot_.curve_of == CurveOf::kUnitsLeft ? "units left" : "wait";
    double right = entry(kRight, curve,
                         "<path class=\"area\" d=\"M-9,7V-5H5V7Z\"/>"
                         "<path class=\"curve\" d=\"M-9,-5H5\"/>");
    right = entry(right, "refused", refused);
    entry(right, "allowed", allowed);
  }

  template <typename Place>
  void DrawValueTicks(const std::vector<Tick>& ticks, const Place& y) {
    for (const Tick& tick : ticks) {
      svg_.Line("grid", {kLeft, y(tick.value)}, {kRight, y(tick.value)});
      svg_.Text("tick", {kLeft - 10, y(tick.value) + 5}, "end", tick.label);
    }
  }

  void DrawCurve() {
    const auto y = [&](std::int64_t value) {
      return kCurveBottom - (kCurveBottom - kCurveTop) * static_cast<double>(value) /
                                static_cast<double>(plot_.curve_top);
    };
    const bool units = plot_.curve_of == CurveOf::kUnitsLeft;
    DrawValueTicks(units ? UnitTicks(plot_.curve_top, kCurveTicks)
                         : TimeTicks(Nanos(0), Nanos(plot_.curve_top), kCurveTicks),
                   y);
    std::string line;
    for (const CurvePoint& point : plot_.curve) {
      line += PathPart(line.empty() ? 'M' : 'L', {scale_.X(point.t), y(point.value)});
    }
    if (!plot_.curve.empty()) {
      svg_.Path("area", line + "V" + Coordinate(kCurveBottom) + "H" +
                            Coordinate(scale_.X(plot_.curve.front().t)) + "Z");
      svg_.Path("curve", line);
    }
    svg_.Line("axis", {kLeft, kCurveBottom}, {kRight, kCurveBottom});
    svg_.Text("name", {kLeft, kCurveTop - 12}, "start", CurveName());
  }

  const Plot& plot_;
  TimeScale scale_;
  Svg svg_;
};

}  // namespace

std::string DrawPlot(const Plot& plot) { return Drawing(plot).Draw(); }

std::string DrawPlots(std::span<const Plot> plots) {
  if (plots.size() == 1) return DrawPlot(plots.front());
  const std::string width = std::to_string(kWidth);
  const std::string height = std::to_string(kHeight * static_cast<int>(plots.size()));
  std::string text =
      Concat(R"(<svg xmlns="http://www.w3.org/2000/svg" width=")", width, R"(" height=")", height,
             R"(" viewBox="0 0 )", width, " ", height, "\" role=\"img\">\n");
  for (std::size_t i = 0; i < plots.size(); ++i) {
    std::string picture = DrawPlot(plots[i]);
    constexpr std::string_view kTag = "<svg";
    picture.insert(picture.find(kTag) + kTag.size(),
                   Concat(" y=\"", kHeight * static_cast<int>(i), "\""));
    text += picture;
  }
  return text + "</svg>\n";
}

}  // namespace sluice::cli
