#include "wire/target.h"

#include <algorithm>
#include <bit>
#include <cstddef>
#include <utility>

#include "base/ascii.h"
#include "base/text.h"

namespace sluice {
namespace {

constexpr ByteSet kUnreserved =
    ByteSet("-._~").WithRange('0', '9').WithRange('A', 'Z').WithRange('a', 'z');
// Bytes that can make the forms of a path differ from the path. For a slash, this also depends on
// the bytes that follow it.
constexpr ByteSet kNotable = ByteSet("/%;\\#").With({"\0", 1}).WithRange(0x80, 0xFF);

constexpr std::string_view kDigits = "0123456789ABCDEF";

// Returns whether the text after a slash begins with a segment that normalization removes: an empty
// segment before another slash, "." or "..". A slash at the end of a path stays.
bool BeginsWithRemovable(std::string_view text) {
  if (text.empty()) return false;
  if (text.front() == '/') return true;
  if (text.front() != '.') return false;
  text.remove_prefix(text.starts_with("..") ? 2 : 1);
  return text.empty() || text.front() == '/';
}

// Returns whether both forms of the path equal the path itself.
bool IsNormal(std::string_view path) {
  if (!path.starts_with('/')) return false;
  for (std::size_t i = 0; i < path.size(); ++i) {
    if (!kNotable.Has(path[i])) continue;
    if (path[i] != '/' || BeginsWithRemovable(path.substr(i + 1))) return false;
  }
  return true;
}

void AppendEscape(char c, std::string& out) {
  const auto byte = static_cast<unsigned char>(c);
  out.append({'%', kDigits[byte / 16], kDigits[byte % 16]});
}

// Features that applications interpret differently, as bits. PathFault explains why a path may have
// only one of them.
enum Difference : unsigned {
  kEscapedSlash = 1,
  kBackslash = 2,
  kEscapedBackslash = 4,
  kParameters = 8,
  kEscapedParameters = 16,
  kEscapedEnd = 32,
};
constexpr std::string_view kDifferenceNames[] = {"'%2F'", "'\\'",  "'%5C'",
                                                 "';'",   "'%3B'", "'%3F' or '%23' at its end"};

// Writes the bytes of a path to both forms. Every separator in the lenient form is a slash.
class FormWriter {
 public:
  explicit FormWriter(PathScratch& forms) : forms_(forms) {}

  void AddPlain(char c) {
    if (static_cast<unsigned char>(c) >= 0x80) {
      AppendEscape(c, forms_.strict);
    } else {
      forms_.strict += c;
    }
    if (c == '/') has_escaped_end_ = false;
    if (c == '\\') differences_ |= kBackslash;
    if (c == ';') differences_ |= kParameters;
    AddLenient(c);
  }

  void AddEscaped(char c) {
    if (kUnreserved.Has(c)) {
      forms_.strict += c;
    } else {
      AppendEscape(c, forms_.strict);
    }
    if (c == '/') differences_ |= kEscapedSlash;
    if (c == '\\') differences_ |= kEscapedBackslash;
    if (c == ';' && !in_parameters_) differences_ |= kEscapedParameters;
    if (c == '?' || c == '#') has_escaped_end_ = true;
    AddLenient(c);
  }

  // Returns the Difference bits of the path.
  [[nodiscard]] unsigned Differences() const {
    return has_escaped_end_ ? differences_ | kEscapedEnd : differences_;
  }

 private:
  void AddLenient(char c) {
    if (c == '\\') c = '/';
    if (c == '/') in_parameters_ = false;
    if (c == ';') in_parameters_ = true;
    if (!in_parameters_) forms_.lenient += c;
  }

  PathScratch& forms_;
  unsigned differences_ = 0;
  bool in_parameters_ = false;
  bool has_escaped_end_ = false;  // since the last slash so far
};

// Writes both forms of a path, before slashes are merged and dot segments removed. Returns false if
// an escape is malformed, or if there is a NUL.
bool WriteForms(std::string_view path, FormWriter& writer) {
  for (std::size_t i = 0; i < path.size(); ++i) {
    if (path[i] == '\0') return false;
    if (path[i] != '%') {
      writer.AddPlain(path[i]);
      continue;
    }
    if (path.size() - i < 3) return false;
    const int high = HexValue(path[i + 1]);
    const int low = HexValue(path[i + 2]);
    if (high < 0 || low < 0 || high + low == 0) return false;
    writer.AddEscaped(static_cast<char>(high * 16 + low));
    i += 2;
  }
  return true;
}

// Truncates the last segment at a decoded '?' or '#'. REQUIRES: the path contains a slash.
void CutLastSegment(std::string& path) {
  path.resize(std::min(path.find_first_of("?#", path.rfind('/')), path.size()));
}

// Merges slashes and removes dot segments in place; the write position never passes the read
// position. Returns whether there was a "..". REQUIRES: the path begins with a slash.
bool RemoveDots(std::string& path) {
  bool has_parent = false;
  const std::string_view from = path;
  std::size_t written = 1;  // a slash precedes it whenever a segment begins
  std::size_t at = 1;
  while (at < from.size()) {
    const std::size_t slash = from.find('/', at);
    const bool is_last = slash == std::string_view::npos;
    const std::size_t end = is_last ? from.size() : slash;
    const std::string_view segment = from.substr(at, end - at);
    if (segment == "..") {
      has_parent = true;
      if (written > 1) written = from.rfind('/', written - 2) + 1;
    } else if (!segment.empty() && segment != ".") {
      std::copy(segment.begin(), segment.end(),
                path.begin() + static_cast<std::ptrdiff_t>(written));
      written += segment.size();
      if (!is_last) path[written++] = '/';
    }
    at = end + 1;
  }
  path.resize(written);
  return has_parent;
}

// Describes the features that the path must not combine; empty if the path has at most two
// readings.
std::string FindAmbiguity(unsigned differences, bool has_parent) {
  if (differences == 0 || (std::has_single_bit(differences) && !has_parent)) return {};
  const std::string_view one = kDifferenceNames[std::countr_zero(differences)];
  differences &= differences - 1;
  const std::string_view other =
      differences == 0 ? "'..'" : kDifferenceNames[std::countr_zero(differences)];
  return Concat("has both ", one, " and ", other,
                ", so that applications could read it in more than two ways");
}

PathFault Malformed(std::string_view reason) {
  return {PathFault::Kind::kMalformed, std::string(reason)};
}

}  // namespace

Target SplitTarget(std::string_view target) {
  const std::string_view path = TakeUntil('?', target);
  const std::string_view query = TakeUntil('#', target);
  return {path, query, target};
}

std::variant<PathForms, PathFault> NormalPath(std::string_view path, PathScratch& scratch) {
  if (IsNormal(path)) return PathForms{path, path};
  std::string_view fragment = path;
  path = TakeUntil('#', fragment);
  if (fragment.find_first_of("/\\%") != std::string_view::npos) {
    return Malformed("has '/', '\\' or '%' in its fragment");
  }
  if (path.empty()) return PathForms{"/", "/"};
  if (path.front() != '/') return Malformed("does not begin with '/'");
  scratch.strict.clear();
  scratch.lenient.clear();
  FormWriter writer(scratch);
  if (!WriteForms(path, writer)) return Malformed("has a malformed escape or a NUL");
  CutLastSegment(scratch.lenient);
  RemoveDots(scratch.strict);
  const bool has_parent = RemoveDots(scratch.lenient);
  std::string ambiguity = FindAmbiguity(writer.Differences(), has_parent);
  if (!ambiguity.empty()) return PathFault{PathFault::Kind::kAmbiguous, std::move(ambiguity)};
  return PathForms{scratch.strict, scratch.lenient};
}

}  // namespace sluice
