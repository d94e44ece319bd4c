// The style of plots: colours, strokes and fonts, for light and dark pages.
#pragma once

#include <string_view>

namespace sluice::cli {

// Blue, vermillion and bluish green are from the Okabe-Ito palette, which people with any of the
// common kinds of colour blindness can tell apart. Dots and crosses, and plain and hatched bars,
// differ without colour, too.
inline constexpr std::string_view kPlotStyle = R"(
text { font-family: system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", "DejaVu Sans",
       sans-serif; fill: #1f2933; }
.title { font-size: 28px; font-weight: 600; }
.medium { font-size: 21px; }
.small { font-size: 14px; }
.counts { font-size: 18px; fill: #3e4c59; }
.legend { font-size: 16px; }
.tick { font-size: 15px; fill: #52606d; }
.name { font-size: 15px; fill: #52606d; }
.paper { fill: #ffffff; }
.grid { stroke: #e4e7eb; stroke-width: 1; }
.axis { stroke: #7b8794; stroke-width: 1.5; }
.dots { stroke: #0072b2; stroke-linecap: round; fill: none; }
.crosses { stroke: #d55e00; stroke-linecap: round; fill: none; }
.allowed { fill: #0072b2; }
.refused { fill: #d55e00; }
.hatch { fill: url(#hatch); }
.hatch-line { stroke: #ffffff; stroke-width: 1.5; stroke-opacity: 0.75; }
.area { fill: #009e73; fill-opacity: 0.18; }
.curve { stroke: #009e73; stroke-width: 2; stroke-linejoin: round; fill: none; }
@media (prefers-color-scheme: dark) {
  text { fill: #f5f7fa; }
  .counts, .tick, .name { fill: #cbd2d9; }
  .paper { fill: #12171d; }
  .grid { stroke: #2b343e; }
  .axis { stroke: #9aa5b1; }
  .dots { stroke: #56b4e9; }
  .allowed { fill: #56b4e9; }
  .crosses { stroke: #ff8c42; }
  .refused { fill: #ff8c42; }
  .hatch-line { stroke: #12171d; }
  .area { fill: #2fcf9f; }
  .curve { stroke: #2fcf9f; }
}
)";

// Hatches the bars of refused requests.
inline constexpr std::string_view kPlotPatterns =
    "<defs><pattern id=\"hatch\" width=\"5\" height=\"5\" patternUnits=\"userSpaceOnUse\" "
    "patternTransform=\"rotate(45)\"><path class=\"hatch-line\" d=\"M0,0V5\"/></pattern></defs>\n";

}  // namespace sluice::cli
