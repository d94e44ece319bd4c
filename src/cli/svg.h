// Svg: the few shapes our pictures are made of, as SVG text.
#pragma once

#include <string>
#include <string_view>

namespace sluice::cli {

// A place in the picture, in its own units from the top left.
struct Spot {
  double x = 0;
  double y = 0;
};

// The text with what XML reserves escaped. Control characters, which XML cannot hold, and bytes
// that are no UTF-8 become U+FFFD.
std::string XmlText(std::string_view text);

// A coordinate with at most one decimal, which is finer than a pixel.
std::string Coordinate(double number);

// "12.5,7"
std::string Coordinates(Spot spot);

// One command of a path: "M12.5,7" moves there, "L12.5,7" draws a line to it.
std::string PathPart(char command, Spot spot);

// Builds a document. Shapes are styled by class only; their look is in one style sheet.
class Svg {
 public:
  Svg(int width, int height, std::string_view style);

  // What the picture shows, in words, for those who do not see it.
  void Describe(std::string_view title, std::string_view description);

  void Raw(std::string_view markup) { text_ += markup; }
  void Box(std::string_view css_class, Spot corner, double width, double height);
  void Line(std::string_view css_class, Spot from, Spot to);
  void Path(std::string_view css_class, std::string_view data);
  // `anchor` is the side of the text that `at` is on: start, middle or end.
  void Text(std::string_view css_class, Spot at, std::string_view anchor, std::string_view words);

  // The document. Call it once, at the end.
  std::string Finish();

 private:
  std::string text_;
};

}  // namespace sluice::cli
