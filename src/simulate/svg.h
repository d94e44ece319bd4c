// Svg: writes the SVG shapes that plots consist of.
#pragma once

#include <string>
#include <string_view>

namespace sluice::cli {

// A position in SVG units, from the top left.
struct Point {
  double x = 0;
  double y = 0;
};

// Escapes text for XML. Control characters, which XML does not allow, and bytes that are not valid
// UTF-8 become U+FFFD.
std::string XmlText(std::string_view text);

// Formats a coordinate with at most one decimal, which is finer than a pixel.
std::string Coordinate(double number);

// Formats a position: "12.5,7".
std::string Coordinates(Point spot);

// Returns a path command: "M12.5,7" moves to the position, "L12.5,7" draws a line to it.
std::string PathPart(char command, Point spot);

// Builds an SVG document. Shapes have only a class; their style is in the style sheet.
class Svg {
 public:
  Svg(int width, int height, std::string_view style);

  // Adds a title and a description for screen readers.
  void Describe(std::string_view title, std::string_view description);

  void Raw(std::string_view markup) { text_ += markup; }
  void Box(std::string_view css_class, Point corner, double width, double height);
  void Line(std::string_view css_class, Point from, Point to);
  void Path(std::string_view css_class, std::string_view data);
  // `anchor` says which part of the text is at `at`: start, middle or end.
  void Text(std::string_view css_class, Point at, std::string_view anchor, std::string_view words);

  // Returns the document. May be called only once, at the end.
  std::string Finish();

 private:
  std::string text_;
};

}  // namespace sluice::cli
