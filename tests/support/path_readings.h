// How applications that are lenient in different ways read one path.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace sluice::testing {

// What one application does on top of RFC 3986, which every application does: decode escapes of
// unreserved characters, merge slashes and drop "." segments.
struct PathLeniency {
  enum class Parameters : std::uint8_t { kKept, kCutBeforeDecoding, kCutAfterDecoding };

  bool decodes_slash = false;       // %2F separates segments
  bool decodes_backslash = false;   // %5C is a backslash
  bool backslash_is_slash = false;  // a backslash separates segments
  bool ends_at_query = false;       // an escaped '?' or '#' in the last segment ends the path
  // Before decoding, a segment ends at the first ';' as sent; after it, at an escaped one, too.
  Parameters parameters = Parameters::kKept;
  // ".." is resolved in the path as sent, and a ".." that appears only later is the name of a
  // segment; otherwise ".." is resolved after all else.
  bool resolves_dots_first = false;
};

// All combinations; the first is RFC 3986 alone.
const std::vector<PathLeniency>& AllPathLeniencies();

// A path as an application sees it: the bytes of its segments, separated by '/'. A slash that is
// part of a segment (from %2F) is kSlashInSegment.
using PathReading = std::u32string;
inline constexpr char32_t kSlashInSegment = 0x100 + '/';

// REQUIRES: the path begins with a slash, and all escapes are well-formed.
PathReading ReadPath(std::string_view path, const PathLeniency& leniency);

// What the two forms of NormalPath say. In a strict form every %2F is part of a segment, and all
// other escapes are the characters they stand for, as rules read them.
PathReading ReadingOfStrict(std::string_view strict);
PathReading ReadingOfLenient(std::string_view lenient);

}  // namespace sluice::testing
