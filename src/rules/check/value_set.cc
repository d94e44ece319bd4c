#include "rules/check/value_set.h"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>

#include "rules/check/path_text.h"

namespace sluice {
namespace {

using Kind = MatcherSpec::Kind;

constexpr std::string_view kAddressCharacters = "0123456789abcdefABCDEF:./";

std::optional<IpPrefix> AsPrefix(std::string_view text) {
  if (text.find_first_not_of(kAddressCharacters) != std::string_view::npos) return std::nullopt;
  const Result<IpPrefix> prefix = ParseIpPrefix(text);
  return prefix.ok() ? std::optional(prefix.value()) : std::nullopt;
}

std::string_view TailOf(std::string_view pattern) { return pattern.substr(pattern.rfind('*') + 1); }

// Returns whether the prefixes or the suffixes of two globs show that no text matches both.
bool AreApart(std::string_view pattern, std::string_view other) {
  const std::string_view head = pattern.substr(0, pattern.find('*'));
  const std::string_view other_head = other.substr(0, other.find('*'));
  if (!head.starts_with(other_head) && !other_head.starts_with(head)) return true;
  const std::string_view tail = TailOf(pattern);
  const std::string_view other_tail = TailOf(other);
  return !tail.ends_with(other_tail) && !other_tail.ends_with(tail);
}

}  // namespace

std::size_t ValueSet::MeasuredGlob::WorkFor(std::string_view text) const {
  constexpr std::size_t kBytesAtOnce = 64;
  return 1 + text.size() * longest_literal / kBytesAtOnce;
}

ValueSet::ValueSet(const MatcherSpec& matcher, AttributeKind kind, const ListSpec* list) {
  switch (matcher.kind) {
    case Kind::kPresent:
      extent_ = Extent::kAny;
      break;
    case Kind::kRegex:
      extent_ = Extent::kUnknown;
      break;
    case Kind::kValues:
      AddTexts(matcher, kind);
      break;
    case Kind::kIn:
      if (list == nullptr) {
        extent_ = Extent::kUnknown;
      } else {
        AddList(*list, kind);
      }
      break;
  }
}

void ValueSet::AddTexts(const MatcherSpec& matcher, AttributeKind kind) {
  std::vector<IpPrefix> addresses;
  for (const std::string& text : matcher.texts) {
    if (kind == AttributeKind::kPaths) {
      AddPathTexts(text);
      continue;
    }
    if (Glob::IsGlob(text)) {
      AddGlob(text);
      continue;
    }
    const std::optional<IpPrefix> prefix = AsPrefix(text);
    if (prefix && kind == AttributeKind::kAddresses) {
      addresses.push_back(*prefix);
      continue;
    }
    texts_like_addresses_ |= prefix.has_value();
    texts_.insert(text);
  }
  Finish(std::move(addresses));
}

// A glob matches a path with or without its trailing slash.
void ValueSet::AddPathTexts(std::string_view written) {
  for (const std::string& text : PathTexts(written)) {
    if (!Glob::IsGlob(text)) {
      AddPath(text);
      continue;
    }
    AddGlob(kept_.emplace_back(text));
    if (!text.ends_with('*')) AddGlob(kept_.emplace_back(text + "/"));
  }
}

// A whole value matches the path with and without a trailing slash.
void ValueSet::AddPath(std::string text) {
  text = WithoutTrailingSlash(text);
  texts_like_addresses_ |= AsPrefix(text).has_value();
  if (text != "/") texts_.insert(kept_.emplace_back(text + "/"));
  texts_.insert(kept_.emplace_back(std::move(text)));
}

// A list contains either addresses or whole values: a star in it is a literal star.
void ValueSet::AddList(const ListSpec& list, AttributeKind kind) {
  std::vector<IpPrefix> addresses;
  for (const std::string& text : list.values) {
    const std::optional<IpPrefix> prefix = AsPrefix(text);
    if (prefix) {
      addresses.push_back(*prefix);
    } else if (kind == AttributeKind::kPaths) {
      for (std::string& each : PathTexts(text)) AddPath(std::move(each));
    } else {
      texts_.insert(text);
    }
  }
  Finish(std::move(addresses));
}

void ValueSet::AddGlob(std::string_view pattern) {
  if (pattern.find_first_not_of('*') == std::string_view::npos) extent_ = Extent::kAny;
  if (!globs_.insert(pattern).second) return;
  if (pattern.find('*') + 1 == pattern.size()) {
    heads_.push_back(pattern.substr(0, pattern.size() - 1));
  } else {
    other_globs_.emplace_back(pattern);
  }
}

void ValueSet::Finish(std::vector<IpPrefix> addresses) {
  addresses_ = IpPrefixes(std::move(addresses));
  // In sorted order, everything that begins with a head directly follows it.
  std::ranges::sort(heads_);
  std::vector<std::string_view> shortest;
  for (const std::string_view head : heads_) {
    if (shortest.empty() || !head.starts_with(shortest.back())) shortest.push_back(head);
  }
  heads_ = std::move(shortest);
}

bool ValueSet::IsEmpty() const { return texts_.empty() && globs_.empty() && addresses_.empty(); }

bool ValueSet::AGlobMatches(std::string_view text, CompareWork& work) const {
  const auto after = std::ranges::upper_bound(heads_, text);
  if (after != heads_.begin() && text.starts_with(*std::prev(after))) return true;
  return std::ranges::any_of(other_globs_,
                             [&](const MeasuredGlob& glob) { return glob.Matches(text, work); });
}

bool ValueSet::HasText(std::string_view text, CompareWork& work) const {
  if (texts_.contains(text)) return true;
  const std::optional<IpPrefix> prefix = AsPrefix(text);
  if (!prefix) return AGlobMatches(text, work);
  // 10.0.0.0/8 is not an address if the attribute holds texts.
  return ParseIpAddress(text) && addresses_.Holds(*prefix);
}

bool ValueSet::Contains(const ValueSet& other, CompareWork& work) const {
  if (extent_ == Extent::kAny) return true;
  if (extent_ != Extent::kSome || other.extent_ != Extent::kSome || other.IsEmpty()) return false;
  return std::ranges::all_of(
             other.addresses_.all(),
             [&](const IpPrefix& address) { return work.Spend(1) && addresses_.Holds(address); }) &&
         std::ranges::all_of(
             other.texts_,
             [&](std::string_view text) { return work.Spend(1) && HasText(text, work); }) &&
         std::ranges::all_of(other.globs_, [&](std::string_view pattern) {
           return work.Spend(1) && (globs_.contains(pattern) || AGlobMatches(pattern, work));
         });
}

bool ValueSet::IsApartFromAddress(const IpPrefix& address) const {
  return globs_.empty() && !texts_like_addresses_ && !addresses_.Meets(address);
}

bool ValueSet::IsApartFromText(std::string_view text, CompareWork& work) const {
  if (texts_.contains(text)) return false;
  if (const std::optional<IpPrefix> prefix = AsPrefix(text)) return IsApartFromAddress(*prefix);
  return !AGlobMatches(text, work);
}

bool ValueSet::IsApartFromGlob(std::string_view pattern, CompareWork& work) const {
  if (!addresses_.empty() || texts_like_addresses_) return false;
  const MeasuredGlob glob(pattern);
  return std::ranges::none_of(texts_,
                              [&](std::string_view text) { return glob.Matches(text, work); }) &&
         std::ranges::all_of(globs_, [&](std::string_view each) {
           return work.Spend(1) && AreApart(each, pattern);
         });
}

bool ValueSet::IsApartFrom(const ValueSet& other, CompareWork& work) const {
  if (extent_ != Extent::kSome || other.extent_ != Extent::kSome || other.IsEmpty()) return false;
  const bool apart =
      std::ranges::all_of(
          other.addresses_.all(),
          [&](const IpPrefix& address) { return work.Spend(1) && IsApartFromAddress(address); }) &&
      std::ranges::all_of(
          other.texts_,
          [&](std::string_view text) { return work.Spend(1) && IsApartFromText(text, work); }) &&
      std::ranges::all_of(other.globs_, [&](std::string_view pattern) {
        return work.Spend(1) && IsApartFromGlob(pattern, work);
      });
  // If the work is spent, some glob was not compared and might have matched.
  return apart && !work.IsSpent();
}

}  // namespace sluice
