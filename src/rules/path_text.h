// What a rule says of paths, as texts to compare with.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace sluice {

// The path without a slash at its end; "/" stays.
constexpr std::string_view WithoutTrailingSlash(std::string_view path) {
  if (path.size() > 1 && path.back() == '/') path.remove_suffix(1);
  return path;
}

// The texts that one text of a rule for a path stands for, globs and whole values alike:
//   - a whole value is without its trailing slash, and is compared with paths without theirs;
//   - what has bytes that no URI has (the é of /café, a space) also stands as URIs write it
//     (/caf%C3%A9), because that is the strict form of such a path.
std::vector<std::string> PathTexts(std::string_view text);

}  // namespace sluice
