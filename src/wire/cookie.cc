#include "wire/cookie.h"

#include <cstddef>

#include "base/ascii.h"

namespace sluice {
namespace {

std::string_view WithoutQuotes(std::string_view text) {
  const bool is_quoted = text.size() >= 2 && text.front() == '"' && text.back() == '"';
  return is_quoted ? text.substr(1, text.size() - 2) : text;
}

}  // namespace

std::optional<Cookie> CookieReader::Next() {
  while (!rest_.empty()) {
    const std::string_view pair = TakeUntil(';', rest_);
    const std::size_t equals = pair.find('=');
    if (equals == std::string_view::npos) continue;
    const std::string_view name = TrimBlanks(pair.substr(0, equals));
    if (name.empty()) continue;
    return Cookie{name, WithoutQuotes(TrimBlanks(pair.substr(equals + 1)))};
  }
  return std::nullopt;
}

}  // namespace sluice
