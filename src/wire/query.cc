#include "wire/query.h"

#include <algorithm>
#include <cstddef>

#include "base/ascii.h"

namespace sluice {

std::optional<QueryParameter> QueryReader::Next() {
  while (!rest_.empty()) {
    const std::size_t end = std::min(rest_.find_first_of(separators_), rest_.size());
    std::string_view value = rest_.substr(0, end);
    rest_.remove_prefix(std::min(end + 1, rest_.size()));
    if (value.empty()) continue;
    const std::string_view name = TakeUntil('=', value);
    return QueryParameter{name, value};
  }
  return std::nullopt;
}

std::optional<std::string_view> DecodeQuery(std::string_view text, std::string& scratch) {
  constexpr ByteSet kCoded("%+");
  const auto* const first = std::ranges::find_if(text, [&](char c) { return kCoded.Has(c); });
  if (first == text.end()) return text;
  auto at = static_cast<std::size_t>(first - text.begin());
  scratch.assign(text.substr(0, at));
  for (; at < text.size(); ++at) {
    if (text[at] == '+') {
      scratch += ' ';
    } else if (text[at] != '%') {
      scratch += text[at];
    } else {
      if (text.size() - at < 3) return std::nullopt;
      const int high = HexValue(text[at + 1]);
      const int low = HexValue(text[at + 2]);
      if (high < 0 || low < 0) return std::nullopt;
      scratch += static_cast<char>(high * 16 + low);
      at += 2;
    }
  }
  return scratch;
}

std::string_view PhpName(std::string_view name, std::string& scratch) {
  constexpr ByteSet kReplaced("\t .");
  name = name.substr(0, name.find('\0'));
  while (!name.empty() && IsBlank(name.front())) name.remove_prefix(1);
  name = name.substr(0, name.find('[', 1));
  const auto is_replaced = [&](char c) { return kReplaced.Has(c); };
  if (std::ranges::none_of(name, is_replaced)) return name;
  scratch.assign(name);
  std::ranges::replace_if(scratch, is_replaced, '_');
  return scratch;
}

}  // namespace sluice
