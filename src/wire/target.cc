#include "wire/target.h"

#include <algorithm>
#include <cstddef>

#include "wire/ascii.h"

namespace sluice {
namespace {

constexpr ByteSet kUnreserved =
    ByteSet("-._~").WithRange('0', '9').WithRange('A', 'Z').WithRange('a', 'z');

// Whether the text is ".", "..", or begins with one of them as a whole segment.
bool BeginsWithDots(std::string_view text) {
  if (!text.starts_with('.')) return false;
  text.remove_prefix(text.starts_with("..") ? 2 : 1);
  return text.empty() || text.front() == '/';
}

bool IsNormal(std::string_view path) {
  if (!path.starts_with('/')) return false;
  for (std::size_t i = 0; i < path.size(); ++i) {
    if (path[i] == '%') return false;
    if (path[i] != '/') continue;
    const std::string_view rest = path.substr(i + 1);
    if (rest.starts_with('/') || BeginsWithDots(rest)) return false;
  }
  return true;
}

// Appends the path with its escapes in their one form. False where one is malformed.
bool AppendUnescaped(std::string_view path, std::string& out) {
  constexpr std::string_view kDigits = "0123456789ABCDEF";
  for (std::size_t i = 0; i < path.size(); ++i) {
    if (path[i] != '%') {
      out += path[i];
      continue;
    }
    if (path.size() - i < 3) return false;
    const int high = HexValue(path[i + 1]);
    const int low = HexValue(path[i + 2]);
    if (high < 0 || low < 0) return false;
    const char c = static_cast<char>(high * 16 + low);
    if (kUnreserved.Has(c)) {
      out += c;
    } else {
      out.append(
          {'%', kDigits[static_cast<std::size_t>(high)], kDigits[static_cast<std::size_t>(low)]});
    }
    i += 2;
  }
  return true;
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
  return {path, target};
}

std::optional<std::string_view> NormalPath(std::string_view path, std::string& scratch) {
  if (IsNormal(path)) return path;
  if (path.empty()) return "/";
  if (path.front() != '/') return std::nullopt;
  scratch.clear();
  if (!AppendUnescaped(path, scratch)) return std::nullopt;
  RemoveDots(scratch);
  return scratch;
}

}  // namespace sluice
