// Converts the paths in rules into texts that request paths are compared with.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace sluice {

// Returns the path without a trailing slash; "/" stays.
constexpr std::string_view WithoutTrailingSlash(std::string_view path) {
  if (path.size() > 1 && path.back() == '/') path.remove_suffix(1);
  return path;
}

// Returns the texts that paths are compared with for one text of a rule, a glob or a whole value:
//   - A whole value loses its trailing slash; it is compared with paths without theirs.
//   - A text with bytes that must be escaped in a URI (the é of /café, a space) is also returned in
//     escaped form (/caf%C3%A9), which is the strict form of such a path.
std::vector<std::string> PathTexts(std::string_view text);

}  // namespace sluice
