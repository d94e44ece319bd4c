#include "rules/compile/matcher.h"

#include <algorithm>
#include <cassert>
#include <utility>

#include "rules/check/path_text.h"

namespace sluice {

Matcher::Matcher(const MatcherSpec& spec, AttributeKind kind, const Lists& lists)
    : what_(Compile(spec, kind, lists)),
      is_path_(kind == AttributeKind::kPaths),
      negated_(spec.negated) {}

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
      const auto list = std::ranges::find(lists, texts.front(), &List::name);
      assert(list != lists.end());
      if (kind == AttributeKind::kPaths) return PathList{list->paths};
      return list->values;
    }
  }
  return Anything{};
}

Matcher::Texts Matcher::CompileTexts(const MatcherSpec& spec, AttributeKind kind) {
  Texts texts;
  if (kind == AttributeKind::kPaths) {
    for (const std::string& written : spec.texts) {
      for (const std::string& text : PathTexts(written)) {
        if (Glob::IsGlob(text)) {
          texts.globs.emplace_back(text);
        } else {
          texts.whole.FindOrAdd(text, 0);
        }
      }
    }
    return texts;
  }
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

bool Matcher::Texts::HasGlobFor(std::string_view text) const {
  for (const Glob& glob : globs) {
    if (glob.Matches(text)) return true;
  }
  return false;
}

bool Matcher::Matches(AttributeValue& value) const {
  const std::string_view text = value.text();
  const std::string_view bare = is_path_ ? WithoutTrailingSlash(text) : text;
  const bool is_cut = bare.size() != text.size();
  if (const auto* const texts = std::get_if<Texts>(&what_)) {
    if (texts->whole.Find(bare) != TextMap::kNone) return true;
    if (texts->HasGlobFor(text) || (is_cut && texts->HasGlobFor(bare))) return true;
    return texts->addresses && value.Ip() && texts->addresses->Contains(*value.Ip());
  }
  if (const auto* const regex = std::get_if<Regex>(&what_)) {
    return regex->MatchesWhole(text) || (is_cut && regex->MatchesWhole(bare));
  }
  if (const auto* const list = std::get_if<std::shared_ptr<const ValueList>>(&what_)) {
    return (*list)->Has(value);
  }
  if (const auto* const list = std::get_if<PathList>(&what_)) {
    AttributeValue path(bare);
    return list->values->Has(path);
  }
  return true;
}

}  // namespace sluice
