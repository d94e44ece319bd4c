#include "rules/check_matchable.h"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "core/text.h"
#include "rules/check_aliases.h"

namespace sluice {
namespace {

using Fault = std::optional<std::string>;

bool IsLower(char c) { return c >= 'a' && c <= 'z'; }
bool IsUpper(char c) { return c >= 'A' && c <= 'Z'; }
bool IsDigit(char c) { return c >= '0' && c <= '9'; }
bool IsAlphanumeric(char c) { return IsLower(c) || IsUpper(c) || IsDigit(c); }

std::string ToUpper(std::string_view text) {
  std::string upper(text);
  for (char& c : upper) c = IsLower(c) ? static_cast<char>(c - 'a' + 'A') : c;
  return upper;
}

std::string ToLower(std::string_view text) {
  std::string lower(text);
  for (char& c : lower) c = IsUpper(c) ? static_cast<char>(c - 'A' + 'a') : c;
  return lower;
}

// "why, so 'written' never matches; did you mean 'meant'?"
std::string NeverMatches(std::string_view why, std::string_view written, std::string_view meant) {
  return Concat(why, ", so ", Quoted(written), " never matches; did you mean ", Quoted(meant), "?");
}

Fault FindMethodFault(std::string_view method) {
  if (std::ranges::none_of(method, IsLower)) return std::nullopt;
  return NeverMatches("a method is in upper case", method, ToUpper(method));
}

// The first "{name}", "<name>" or ":name" that is a whole segment of the path, or "{name}" anywhere
// in it; empty where there is none. "/v1/messages:send" has none.
std::string_view FindParameter(std::string_view path) {
  const std::size_t open = path.find('{');
  if (open != std::string_view::npos && open + 1 < path.size() && !IsDigit(path[open + 1])) {
    const std::size_t close = path.find('}', open);
    if (close != std::string_view::npos) return path.substr(open, close - open + 1);
  }
  for (std::size_t slash = path.find('/'); slash != std::string_view::npos;
       slash = path.find('/', slash + 1)) {
    const std::string_view rest = path.substr(slash + 1);
    const std::string_view segment = rest.substr(0, rest.find('/'));
    const bool named = segment.size() > 1 && segment.front() == ':' && IsAlphanumeric(segment[1]);
    const bool bracketed = segment.size() > 2 && segment.front() == '<' && segment.back() == '>';
    if (named || bracketed) return segment;
  }
  return {};
}

std::string ReplaceParameters(std::string_view path) {
  std::string meant(path);
  for (std::string_view found = FindParameter(meant); !found.empty();
       found = FindParameter(meant)) {
    const auto at = static_cast<std::size_t>(found.data() - meant.data());
    meant.replace(at, found.size(), "*");
  }
  return meant;
}

Fault FindParameterFault(std::string_view path) {
  const std::string_view parameter = FindParameter(path);
  if (parameter.empty()) return std::nullopt;
  return Concat("rules have no path parameters, so ", Quoted(parameter),
                " is taken literally; did you mean ", Quoted(ReplaceParameters(path)), "?");
}

// The path of a URL that was written whole; otherwise the text with a slash before it.
std::string RootedPath(std::string_view text) {
  const std::size_t scheme = text.find("://");
  if (scheme == std::string_view::npos) return Concat("/", text);
  const std::size_t slash = text.find('/', scheme + 3);
  return slash == std::string_view::npos ? "/" : std::string(text.substr(slash));
}

Fault FindPathFault(std::string_view path) {
  if (!path.starts_with('/') && !path.starts_with('*')) {
    return NeverMatches("a path begins with '/'", path, RootedPath(path));
  }
  const std::size_t query = path.find('?');
  if (query != std::string_view::npos) {
    return NeverMatches("the query is cut off a path", path, path.substr(0, query));
  }
  return FindParameterFault(path);
}

// Only what is sure: a regex matches the whole path, and one that begins with a letter or a digit
// that must be there matches none.
Fault FindPathRegexFault(std::string_view regex) {
  const std::string_view text = regex.starts_with('^') ? regex.substr(1) : regex;
  constexpr std::string_view kOptional = "?*{|";
  const bool begins_with_other = !text.empty() && IsAlphanumeric(text.front()) &&
                                 (text.size() == 1 || kOptional.find(text[1]) == std::string::npos);
  if (begins_with_other && text.find('|') == std::string_view::npos) {
    return NeverMatches("a path begins with '/'", regex, Concat("/", text));
  }
  return std::nullopt;
}

Fault FindHostFault(std::string_view host) {
  std::string meant = ToLower(host);
  const std::size_t colon = meant.find(':');
  const bool has_port = colon != std::string::npos && colon + 1 < meant.size() &&
                        std::ranges::all_of(meant.substr(colon + 1), IsDigit);
  if (has_port) meant.resize(colon);
  if (meant.size() > 1 && meant.ends_with('.')) meant.pop_back();
  if (meant == host) return std::nullopt;
  return NeverMatches("a host is in lower case, without port and trailing dot", host, meant);
}

Fault FindFault(std::string_view source, MatcherSpec::Kind kind, std::string_view text) {
  if (kind == MatcherSpec::Kind::kRegex) {
    return source == "path" ? FindPathRegexFault(text) : std::nullopt;
  }
  if (source == "method") return FindMethodFault(text);
  if (source == "path") return FindPathFault(text);
  if (source == "host") return FindHostFault(text);
  return std::nullopt;
}

}  // namespace

void CheckMatchable(const DomainSpec& domain, ConfigProblems& problems) {
  const AliasSources sources(domain);
  for (const RuleSpec& rule : domain.rules) {
    for (const ConditionSpec& condition : rule.match) {
      const MatcherSpec& matcher = condition.matcher;
      if (matcher.kind == MatcherSpec::Kind::kIn) continue;
      const std::string_view source = sources.SourceOf(condition.attribute);
      for (const std::string& text : matcher.texts) {
        if (Fault fault = FindFault(source, matcher.kind, text)) {
          problems.Warn(matcher.origin, *std::move(fault));
        }
      }
    }
  }
}

}  // namespace sluice
