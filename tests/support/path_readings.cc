#include "support/path_readings.h"

#include <algorithm>
#include <cstddef>
#include <string>

namespace sluice::testing {
namespace {

// Marks an escaped byte that has not been decoded.
constexpr char32_t kEscaped = 0x100;

constexpr char32_t Escaped(char c) { return kEscaped + static_cast<unsigned char>(c); }

// Splits a path into characters and escaped bytes. Decodes escapes of unreserved characters.
std::u32string Tokens(std::string_view path) {
  constexpr std::string_view kUnreserved =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~";
  std::u32string tokens;
  for (std::size_t i = 0; i < path.size(); ++i) {
    if (path[i] != '%') {
      tokens += static_cast<unsigned char>(path[i]);
      continue;
    }
    const auto byte = static_cast<char32_t>(std::stoi(std::string(path.substr(i + 1, 2)), {}, 16));
    const bool is_unreserved =
        byte < 0x80 && kUnreserved.find(static_cast<char>(byte)) != std::string_view::npos;
    tokens += is_unreserved ? byte : kEscaped + byte;
    i += 2;
  }
  return tokens;
}

std::vector<std::u32string> Segments(const std::u32string& text) {
  std::vector<std::u32string> segments(1);
  for (const char32_t c : text.substr(1)) {
    if (c == U'/') {
      segments.emplace_back();
    } else {
      segments.back() += c;
    }
  }
  return segments;
}

std::u32string Join(const std::vector<std::u32string>& segments) {
  std::u32string text;
  for (const std::u32string& segment : segments) text += U"/" + segment;
  return text;
}

void CutSegments(const std::u32string& ends, std::u32string& text) {
  std::vector<std::u32string> segments = Segments(text);
  for (std::u32string& segment : segments) {
    segment.resize(std::min(segment.find_first_of(ends), segment.size()));
  }
  text = Join(segments);
}

enum class Dots : std::uint8_t { kResolved, kKept };

std::u32string Normal(const std::u32string& text, Dots dots) {
  const std::vector<std::u32string> segments = Segments(text);
  std::vector<std::u32string> kept;
  bool is_folder = false;
  for (const std::u32string& segment : segments) {
    const bool is_up = segment == U".." && dots == Dots::kResolved;
    if (is_up && !kept.empty()) kept.pop_back();
    is_folder = is_up || segment.empty() || segment == U".";
    if (!is_folder) kept.push_back(segment);
  }
  if (is_folder || kept.empty()) kept.emplace_back();
  return Join(kept);
}

// Decodes all escapes except those of slashes.
void DecodeRest(std::u32string& text) {
  for (char32_t& c : text) {
    if (c >= kEscaped && c != kSlashInSegment) c -= kEscaped;
  }
}

}  // namespace

const std::vector<PathLeniency>& AllPathLeniencies() {
  static const std::vector<PathLeniency> all = [] {
    std::vector<PathLeniency> made;
    using enum PathLeniency::Parameters;
    for (const auto parameters : {kKept, kCutBeforeDecoding, kCutAfterDecoding}) {
      for (unsigned bits = 0; bits < 32; ++bits) {
        made.push_back({.decodes_slash = (bits & 1U) != 0,
                        .decodes_backslash = (bits & 2U) != 0,
                        .backslash_is_slash = (bits & 4U) != 0,
                        .ends_at_query = (bits & 8U) != 0,
                        .parameters = parameters,
                        .resolves_dots_first = (bits & 16U) != 0});
      }
    }
    return made;
  }();
  return all;
}

PathReading ReadPath(std::string_view path, const PathLeniency& leniency) {
  std::u32string text = Tokens(path.substr(0, path.find('#')));
  if (leniency.parameters == PathLeniency::Parameters::kCutBeforeDecoding) CutSegments(U";", text);
  if (leniency.resolves_dots_first) text = Normal(text, Dots::kResolved);
  for (char32_t& c : text) {
    if (leniency.decodes_slash && c == kSlashInSegment) c = U'/';
    if (leniency.decodes_backslash && c == Escaped('\\')) c = U'\\';
    if (leniency.backslash_is_slash && c == U'\\') c = U'/';
  }
  if (leniency.parameters == PathLeniency::Parameters::kCutAfterDecoding) {
    CutSegments({U';', Escaped(';')}, text);
  }
  if (leniency.ends_at_query) {
    const std::u32string ends = {Escaped('?'), Escaped('#')};
    text.resize(std::min(text.find_first_of(ends, text.rfind(U'/')), text.size()));
  }
  text = Normal(text, leniency.resolves_dots_first ? Dots::kKept : Dots::kResolved);
  DecodeRest(text);
  return text;
}

PathReading ReadingOfStrict(std::string_view strict) {
  std::u32string text = Tokens(strict);
  DecodeRest(text);
  return text;
}

PathReading ReadingOfLenient(std::string_view lenient) {
  std::u32string text;
  for (const char c : lenient) text += static_cast<unsigned char>(c);
  return text;
}

}  // namespace sluice::testing
