// Targets of requests: path and query, and the two forms of a path that rules are matched with.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <variant>

namespace sluice {

// What stands before and after the first question mark; the query ends at a fragment. Views the
// target.
struct Target {
  std::string_view path;
  std::string_view query;
};

Target SplitTarget(std::string_view target);

// The forms of one path. They are equal for almost all requests.
struct PathForms {
  // What the path is by RFC 3986, section 6.2.2:
  //   - a fragment ("#1") is cut;
  //   - an escape of a letter, digit, '-', '.', '_' or '~' becomes that character: %70 is p;
  //   - all others stay, in capitals: %2f is %2F, and is no slash; a byte that is not ASCII
  //     becomes an escape;
  //   - slashes in a row are one; then "." goes, and ".." with the segment before it, never above
  //     the root;
  //   - an empty path is "/"; parameters (";v=1") stay as they are.
  std::string_view strict;
  // What a lenient application may make of the path: every escape is decoded, once, and the result
  // is not read again for escapes; a backslash is a slash; a segment ends at its first ';', and the
  // last one at a '?' or '#' that was escaped, too; then slashes and dots are resolved as above.
  std::string_view lenient;

  [[nodiscard]] bool differ() const { return strict != lenient; }
};

// The memory that forms are made in. Use one again and again.
struct PathScratch {
  std::string strict;
  std::string lenient;
};

// Why a path has no forms.
struct PathFault {
  enum class Kind : std::uint8_t {
    // The path
    //   - has a malformed escape, or an escaped or raw NUL: a program in C would end the path
    //   there;
    //   - does not begin with a slash;
    //   - has a fragment that holds '/', '\' or '%': whoever takes the fragment for a part of the
    //     path could resolve dots in it, and no client sends one.
    kMalformed,
    // An application may read the path in a third way. Applications differ in whether they read
    //   %2F or \ or %5C as a slash, cut parameters at ; or at %3B, and end the path at %3F or %23;
    // and in whether they do so before or after they resolve "..". A path is refused where
    //   - it has two or more of these, so that an application could read only one of them; a %3B
    //     within parameters is none, and %3F and %23 count after the last slash only;
    //   - it has one of these and a "..", or one of these makes a "..".
    // tests/property/path_readings_test.cc shows that all other paths have two readings.
    kAmbiguous,
  };
  Kind kind;
  std::string reason;  // continues "the path ..."
};

// The forms of a path, or why it has none.
//
// A path of which both forms are the path itself, as almost all are, is returned as it is after one
// scan. Otherwise the forms view `scratch`, whose old texts are lost.
// ENSURES: the strict form of a strict form is itself.
std::variant<PathForms, PathFault> NormalPath(std::string_view path, PathScratch& scratch);

}  // namespace sluice
