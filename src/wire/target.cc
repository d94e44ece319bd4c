#include "wire/target.h"

#include <algorithm>
#include <cstddef>

#include "wire/ascii.h"

namespace sluice {
namespace {

constexpr ByteSet kUnreserved =
    ByteSet("-._~").WithRange('0', '9').WithRange('A', 'Z').WithRange('a', 'z');
// Bytes after which the forms of a path may be other than the path. A slash is looked at with what
// follows it.
constexpr ByteSet kNotable = ByteSet("/%;\\#").With({"\0", 1}).WithRange(0x80, 0xFF);

constexpr std::string_view kDigits = "0123456789ABCDEF";

// Whether what follows a slash begins with a segment that normalizing removes: an empty one with a
// slash behind it, "." or "..". A slash at the end of a path stays.
bool BeginsWithRemovable(std::string_view text) {
  if (text.empty()) return false;
  if (text.front() == '/') return true;
  if (text.front() != '.') return false;
  text.remove_prefix(text.starts_with("..") ? 2 : 1);
  return text.empty() || text.front() == '/';
}

// Whether both forms of the path are the path itself.
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

// Writes one byte of a path to its forms. A separator of the lenient form is always a slash.
struct FormWriter {
  void AddPlain(char c) {
    if (static_cast<unsigned char>(c) >= 0x80) {
      AppendEscape(c, forms.strict);
    } else {
      forms.strict += c;
    }
    AddLenient(c);
  }

  void AddEscaped(char c) {
    if (kUnreserved.Has(c)) {
      forms.strict += c;
    } else {
      AppendEscape(c, forms.strict);
    }
    AddLenient(c);
  }

  void AddLenient(char c) {
    if (c == '\\') c = '/';
    if (c == '/') in_parameters = false;
    if (c == ';') in_parameters = true;
    if (!in_parameters) forms.lenient += c;
  }

  PathScratch& forms;
  bool in_parameters = false;
};

// Appends the forms of a path but for its slashes and dots. False where an escape is malformed, or
// a NUL.
bool AppendForms(std::string_view path, PathScratch& forms) {
  FormWriter writer{forms};
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

// Cuts the last segment where a query or a fragment would begin.
// REQUIRES: there is a slash.
void CutLastSegment(std::string& path) {
  path.resize(std::min(path.find_first_of("?#", path.rfind('/')), path.size()));
}

// Merges slashes and takes out the dots, in place: what is written never overtakes what is read.
// REQUIRES: it begins with a slash.
void RemoveDots(std::string& path) {
  const std::string_view from = path;
  std::size_t written = 1;  // ends in a slash whenever a segment begins
  std::size_t at = 1;
  while (at < from.size()) {
    const std::size_t slash = from.find('/', at);
    const bool is_last = slash == std::string_view::npos;
    const std::size_t end = is_last ? from.size() : slash;
    const std::string_view segment = from.substr(at, end - at);
    if (segment == "..") {
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
}

}  // namespace

Target SplitTarget(std::string_view target) {
  const std::string_view path = TakeUntil('?', target);
  return {path, TakeUntil('#', target)};
}

std::optional<PathForms> NormalPath(std::string_view path, PathScratch& scratch) {
  if (IsNormal(path)) return PathForms{path, path};
  std::string_view fragment = path;
  path = TakeUntil('#', fragment);
  if (fragment.find_first_of("/\\%") != std::string_view::npos) return std::nullopt;
  if (path.empty()) return PathForms{"/", "/"};
  if (path.front() != '/') return std::nullopt;
  scratch.strict.clear();
  scratch.lenient.clear();
  if (!AppendForms(path, scratch)) return std::nullopt;
  CutLastSegment(scratch.lenient);
  RemoveDots(scratch.strict);
  RemoveDots(scratch.lenient);
  return PathForms{scratch.strict, scratch.lenient};
}

}  // namespace sluice
