#include "rules/matcher.h"

#include <algorithm>
#include <cassert>
#include <utility>

namespace sluice {

Matcher::Matcher(const MatcherSpec& spec, AttributeKind kind, const Lists& lists)
    : what_(Compile(spec, kind, lists)), negated_(spec.negated) {}

Matcher::What Matcher::Compile(const MatcherSpec& spec, AttributeKind kind, const Lists& lists) {
  const std::vector<std::string>& texts = spec.texts;
  switch (spec.kind) {
    case MatcherSpec::Kind::kPresent:
      return Anything{};
    case MatcherSpec::Kind::kValues:
      return CompileTexts(spec, kind);
    case MatcherSpec::Kind::kRegex: {
      Result<Regex> regex = Regex::Compile(texts.front());
      assert(regex.ok());
      return std::move(regex).value();
    }
    case MatcherSpec::Kind::kIn: {
      const auto list = std::find_if(lists.begin(), lists.end(), [&](const auto& named) {
        return named.first == texts.front();
      });
      assert(list != lists.end());
      return list->second;
    }
  }
  return Anything{};
}

Matcher::Texts Matcher::CompileTexts(const MatcherSpec& spec, AttributeKind kind) {
  Texts texts;
  std::vector<IpPrefix> addresses;
  for (const std::string& text : spec.texts) {
    if (Glob::IsGlob(text)) {
      texts.globs.emplace_back(text);
      continue;
    }
    if (kind == AttributeKind::kAddresses) {
      if (const Result<IpPrefix> prefix = ParseIpPrefix(text); prefix.ok()) {
        addresses.push_back(prefix.value());
        continue;
      }
    }
    texts.whole.FindOrAdd(text, 0);
  }
  if (!addresses.empty()) texts.addresses.emplace(addresses);
  return texts;
}

bool Matcher::Matches(AttributeValue& value) const {
  if (const auto* const texts = std::get_if<Texts>(&what_)) {
    if (texts->whole.Find(value.text()) != TextMap::kNone) return true;
    for (const Glob& glob : texts->globs) {
      if (glob.Matches(value.text())) return true;
    }
    return texts->addresses && value.Ip() && texts->addresses->Contains(*value.Ip());
  }
  if (const auto* const regex = std::get_if<Regex>(&what_)) {
    return regex->MatchesWhole(value.text());
  }
  if (const auto* const list = std::get_if<std::shared_ptr<const ValueList>>(&what_)) {
    return (*list)->Has(value);
  }
  return true;
}

}  // namespace sluice
