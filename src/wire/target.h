// Targets of requests: path and query, and the one form of a path that rules are matched with.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace sluice {

// What stands before and after the first question mark. Views the target.
struct Target {
  std::string_view path;
  std::string_view query;
};

Target SplitTarget(std::string_view target);

// The path as rules see it, so that one resource has one name (RFC 3986, section 6.2.2):
//   - an escape of a letter, digit, '-', '.', '_' or '~' becomes that character: %70 is p;
//   - all others stay, in capitals: %2f is %2F, and is no slash;
//   - slashes in a row are one; then "." goes, and ".." with the segment before it, never above
//     the root;
//   - an empty path is "/"; parameters (";v=1") stay as they are.
// None where an escape is malformed or the path does not begin with a slash.
//
// A path that is in this form already, as almost all are, is returned as it is, after one scan.
// Otherwise the result views `scratch`, whose old text is lost.
// ENSURES: the normal form of a normal form is itself.
std::optional<std::string_view> NormalPath(std::string_view path, std::string& scratch);

}  // namespace sluice
