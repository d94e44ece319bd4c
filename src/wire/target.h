// Request targets: the path and query, and the two forms of a path that rules match.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <variant>

namespace sluice {

// The parts before and after the first question mark; the query ends at a fragment, which is empty
// without a query. Views the target.
struct Target {
  std::string_view path;
  std::string_view query;
  std::string_view fragment;
};

Target SplitTarget(std::string_view target);

// The two forms of a path. They are equal for almost all requests.
struct PathForms {
  // The path normalized by RFC 3986, section 6.2.2:
  //   - a fragment ("#1") is removed;
  //   - an escape of a letter, digit, '-', '.', '_' or '~' becomes that character: %70 is p;
  //   - all other escapes stay, in capitals: %2f becomes %2F, which is not a slash; a byte that is
  //     not ASCII becomes an escape;
  //   - consecutive slashes are merged; then "." is removed, and ".." together with the segment
  //     before it, never above the root;
  //   - an empty path is "/"; parameters (";v=1") stay as they are.
  std::string_view strict;
  // The path as a lenient application may read it: every escape is decoded once, and the result is
  // not decoded again; a backslash is a slash; a segment ends at its first ';', and the last
  // segment also at an escaped '?' or '#'; then slashes and dots are resolved as above.
  std::string_view lenient;

  [[nodiscard]] bool differ() const { return strict != lenient; }
};

// Buffers for the forms. Reuse an instance to avoid allocations.
struct PathScratch {
  std::string strict;
  std::string lenient;
};

// The reason that a path has no forms.
struct PathFault {
  enum class Kind : std::uint8_t {
    // The path
    //   - has a malformed escape, or a NUL, escaped or raw (a C program would end the path there);
    //   - does not begin with a slash;
    //   - has a fragment that contains '/', '\' or '%': an application that treats the fragment as
    //     part of the path could resolve dots in it, and no client sends such a fragment.
    kMalformed,
    // An application may read the path in a third way. Applications differ in whether they treat
    // %2F, \ or %5C as a slash, cut parameters at ; or %3B, and end the path at %3F or %23; and in
    // whether they do so before or after they resolve "..". A path is ambiguous if
    //   - it has two or more of these features, so that an application could interpret only one of
    //     them. A %3B within parameters does not count, and %3F and %23 count after the last slash
    //     only;
    //   - it has one of these features and a "..", or one of them produces a "..".
    // tests/property/path_readings_test.cc shows that all other paths have at most two readings.
    kAmbiguous,
  };
  Kind kind;
  std::string reason;  // continues "the path ..."
};

// Returns the forms of a path, or the reason it has none.
//
// If both forms equal the path, as for almost all requests, the path itself is returned after one
// scan. Otherwise the forms view `scratch`, whose contents are replaced.
// ENSURES: the strict form of a strict form is itself.
std::variant<PathForms, PathFault> NormalPath(std::string_view path, PathScratch& scratch);

}  // namespace sluice
