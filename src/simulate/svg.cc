#include "simulate/svg.h"

#include <array>
#include <charconv>
#include <cmath>
#include <cstddef>
#include <utility>

#include "base/utf8.h"

namespace sluice::cli {
namespace {

constexpr std::string_view kReplacement = "\xEF\xBF\xBD";

// Returns the size in bytes of the first character, or 0 if it is not valid UTF-8 or not allowed in
// XML.
std::size_t CharacterBytes(std::string_view text) {
  const auto lead = static_cast<unsigned char>(text.front());
  if (lead < 0x20) return 0;
  const std::size_t bytes = Utf8SizeAt(text);
  const bool no_character = text.starts_with("\xEF\xBF\xBE") || text.starts_with("\xEF\xBF\xBF");
  return no_character ? 0 : bytes;
}

}  // namespace

std::string XmlText(std::string_view text) {
  std::string xml;
  while (!text.empty()) {
    const std::size_t bytes = CharacterBytes(text);
    const char letter = text.front();
    if (bytes == 0) {
      xml += kReplacement;
    } else if (letter == '&') {
      xml += "&amp;";
    } else if (letter == '<') {
      xml += "&lt;";
    } else if (letter == '>') {
      xml += "&gt;";
    } else if (letter == '"') {
      xml += "&quot;";
    } else {
      xml += text.substr(0, bytes);
    }
    text.remove_prefix(bytes == 0 ? 1 : bytes);
  }
  return xml;
}

std::string Coordinate(double number) {
  const double rounded = std::round(number * 10) / 10;
  std::array<char, 32> digits{};
  // Adding 0 turns a negative zero into a positive one.
  const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), rounded + 0.0,
                                 std::chars_format::fixed)
                       .ptr;
  return {digits.data(), end};
}

std::string Coordinates(Point spot) { return Coordinate(spot.x) + "," + Coordinate(spot.y); }

std::string PathPart(char command, Point spot) {
  std::string part(1, command);
  part += Coordinates(spot);
  return part;
}

Svg::Svg(int width, int height, std::string_view style) {
  const std::string w = std::to_string(width);
  const std::string h = std::to_string(height);
  text_ = "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"" + w + "\" height=\"" + h +
          "\" viewBox=\"0 0 " + w + " " + h + "\" role=\"img\">\n";
  text_ += "<style>\n" + std::string(style) + "</style>\n";
}

void Svg::Describe(std::string_view title, std::string_view description) {
  text_ += "<title>" + XmlText(title) + "</title>\n<desc>" + XmlText(description) + "</desc>\n";
}

void Svg::Box(std::string_view css_class, Point corner, double width, double height) {
  text_ += "<rect class=\"" + std::string(css_class) + "\" x=\"" + Coordinate(corner.x) +
           "\" y=\"" + Coordinate(corner.y) + "\" width=\"" + Coordinate(width) + "\" height=\"" +
           Coordinate(height) + "\"/>\n";
}

void Svg::Line(std::string_view css_class, Point from, Point to) {
  Path(css_class, PathPart('M', from) + PathPart('L', to));
}

void Svg::Path(std::string_view css_class, std::string_view data) {
  text_ += "<path class=\"" + std::string(css_class) + "\" d=\"" + std::string(data) + "\"/>\n";
}

void Svg::Text(std::string_view css_class, Point at, std::string_view anchor,
               std::string_view words) {
  text_ += "<text class=\"" + std::string(css_class) + "\" x=\"" + Coordinate(at.x) + "\" y=\"" +
           Coordinate(at.y) + "\" text-anchor=\"" + std::string(anchor) + "\">" + XmlText(words) +
           "</text>\n";
}

std::string Svg::Finish() { return std::move(text_) + "</svg>\n"; }

}  // namespace sluice::cli
