#include "rules/compile/value_list.h"

#include <utility>
#include <vector>

#include "rules/check/path_text.h"

namespace sluice {

ValueList::ValueList(std::span<const std::string> values) {
  std::vector<IpPrefix> prefixes;
  TextMap texts;
  for (const std::string& value : values) {
    if (const Result<IpPrefix> prefix = ParseIpPrefix(value); prefix.ok()) {
      prefixes.push_back(prefix.value());
    } else {
      texts.FindOrAdd(value, 0);
    }
  }
  if (texts.size() == 0) {
    values_ = IpSet(prefixes);
  } else {
    values_ = std::move(texts);
  }
}

ValueList ValueList::OfPaths(std::span<const std::string> values) {
  std::vector<std::string> texts;
  for (const std::string& value : values) {
    for (const std::string& text : PathTexts(value)) texts.emplace_back(WithoutTrailingSlash(text));
  }
  return ValueList(texts);
}

bool ValueList::Has(AttributeValue& value) const {
  if (!value.present()) return false;
  if (const auto* const texts = std::get_if<TextMap>(&values_)) {
    return texts->Find(value.text()) != TextMap::kNone;
  }
  const auto& ip = value.Ip();
  return ip.has_value() && std::get_if<IpSet>(&values_)->Contains(*ip);
}

void ValueList::Prefetch(AttributeValue& value) const {
  const auto* const addresses = std::get_if<IpSet>(&values_);
  if (addresses != nullptr && value.present() && value.Ip()) addresses->Prefetch(*value.Ip());
}

}  // namespace sluice
