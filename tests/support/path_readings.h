// Readings of one path by applications that are lenient in different ways.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace sluice::testing {

// The leniencies of one application. All applications follow RFC 3986: they decode escapes of
// unreserved characters, merge slashes and drop "." segments.
struct PathLeniency {
  enum class Parameters : std::uint8_t { kKept, kCutBeforeDecoding, kCutAfterDecoding };

  bool decodes_slash = false;       // %2F separates segments
  bool decodes_backslash = false;   // %5C is a backslash
  bool backslash_is_slash = false;  // a backslash separates segments
  bool ends_at_query = false;       // an escaped '?' or '#' in the last segment ends the path
  // Before decoding, a segment ends at the first ';' as sent; after decoding, also at an escaped
  // one.
  Parameters parameters = Parameters::kKept;
  // If true, ".." is resolved in the path as sent, and a ".." that appears only after decoding is
  // the name of a segment. Otherwise ".." is resolved last.
  bool resolves_dots_first = false;
};

// Returns all combinations. The first one is RFC 3986 alone.
const std::vector<PathLeniency>& AllPathLeniencies();

// A path as an application sees it: the bytes of its segments, separated by '/'. A slash that is
// part of a segment (from %2F) is kSlashInSegment.
using PathReading = std::u32string;
inline constexpr char32_t kSlashInSegment = 0x100 + '/';

// REQUIRES: the path begins with a slash, and all escapes are well-formed.
PathReading ReadPath(std::string_view path, const PathLeniency& leniency);

// Return the readings that the two forms of NormalPath stand for. In a strict form every %2F is
// part of a segment, and all other escapes stand for their characters, as rules read them.
PathReading ReadingOfStrict(std::string_view strict);
PathReading ReadingOfLenient(std::string_view lenient);

}  // namespace sluice::testing
