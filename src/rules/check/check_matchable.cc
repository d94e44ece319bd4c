#include "rules/check/check_matchable.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "base/letter_case.h"
#include "base/spelling.h"
#include "base/text.h"
#include "rules/check/check_aliases.h"
#include "rules/check/check_lists.h"

namespace sluice {
namespace {

using Fault = std::optional<std::string>;

constexpr std::array<std::string_view, 9> kUsualMethods = {
    "GET", "HEAD", "POST", "PUT", "DELETE", "CONNECT", "OPTIONS", "PATCH", "TRACE"};
bool IsDigit(char c) { return c >= '0' && c <= '9'; }
bool IsLetter(char c) { return IsLowerLetter(c) || IsUpperLetter(c); }
bool IsAlphanumeric(char c) { return IsLetter(c) || IsDigit(c); }

// Returns "why, so 'written' never matches; did you mean 'meant'?"
std::string NeverMatches(std::string_view why, std::string_view written, std::string_view meant) {
  return Concat(why, ", so ", Quoted(written), " never matches; did you mean ", Quoted(meant), "?");
}

bool IsMethod(std::string_view text) {
  return std::ranges::find(kUsualMethods, text) != kUsualMethods.end();
}

// Returns "POST, GET" for "post|get"; empty if the text is not a series of methods.
std::string MethodsIn(std::string_view text) {
  constexpr std::string_view kSeparators = ",;| ";
  if (text.find_first_of(kSeparators) == std::string_view::npos) return {};
  std::string methods;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find_first_of(kSeparators), text.size());
    const std::string method = UpperCase(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
    if (method.empty()) continue;
    if (!IsMethod(method)) return {};
    methods += Concat(methods.empty() ? "" : ", ", method);
  }
  return methods;
}

Fault FindMethodFault(std::string_view method) {
  const std::string methods = MethodsIn(method);
  if (!methods.empty()) {
    return Concat("several methods are a list, so ", Quoted(method),
                  " never matches; did you mean [", methods, "]?");
  }
  const std::string upper = UpperCase(method);
  const std::string_view nearest = IsMethod(upper) || method.find('*') != std::string_view::npos
                                       ? std::string_view()
                                       : NearestWord(upper, kUsualMethods);
  if (upper != method) {
    return NeverMatches("a method is in upper case", method, nearest.empty() ? upper : nearest);
  }
  if (nearest.empty()) return std::nullopt;
  return Concat("unknown method ", Quoted(method), "; did you mean ", Quoted(nearest), "?");
}

// Finds a lower-case alternative in a regex that contains only letters: "post|get", "^(get)$".
Fault FindMethodRegexFault(std::string_view regex) {
  const auto unwrap = [&](char first, char last) {
    if (regex.starts_with(first)) regex.remove_prefix(1);
    if (regex.ends_with(last)) regex.remove_suffix(1);
  };
  unwrap('^', '$');
  unwrap('(', ')');
  if (!std::ranges::all_of(regex, [](char c) { return IsLetter(c) || c == '|'; })) {
    return std::nullopt;
  }
  while (!regex.empty()) {
    const std::string_view alternative = regex.substr(0, regex.find('|'));
    if (std::ranges::any_of(alternative, IsLowerLetter)) {
      return NeverMatches("a method is in upper case", alternative, UpperCase(alternative));
    }
    regex.remove_prefix(std::min(alternative.size() + 1, regex.size()));
  }
  return std::nullopt;
}

// Returns the first "{name}", "<name>" or ":name" that is a whole segment of the path, or "{name}"
// anywhere in it; empty if there is none. "/v1/messages:send" has none.
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

// Returns the path of a complete URL; otherwise the text with a slash in front.
std::string RootedPath(std::string_view text) {
  const std::size_t scheme = text.find("://");
  if (scheme == std::string_view::npos) return Concat("/", text);
  const std::size_t slash = text.find('/', scheme + 3);
  return slash == std::string_view::npos ? "/" : std::string(text.substr(slash));
}

// Returns the message for "^/v1", which was meant as a regex.
std::string UnmarkedRegexFault(std::string_view path) {
  const bool has_end = path.ends_with('$');
  const std::string_view middle = path.substr(1, path.size() - (has_end ? 2 : 1));
  const bool is_open = !has_end && !middle.ends_with(".*");
  return Concat("a path is a text and no regex, so ", Quoted(path),
                " never matches; did you mean { regex: '", Printable(middle), is_open ? ".*" : "",
                "' }?");
}

Fault FindPathFault(std::string_view path) {
  if (path.starts_with("^/")) return UnmarkedRegexFault(path);
  if (!path.starts_with('/') && !path.starts_with('*')) {
    return NeverMatches("a path begins with '/'", path, RootedPath(path));
  }
  const std::size_t query = path.find('?');
  if (query != std::string_view::npos) {
    return NeverMatches("the query is cut off a path", path, path.substr(0, query));
  }
  return FindParameterFault(path);
}

// Reports only certain mistakes: a regex must match the whole path, so one that begins with a
// mandatory letter or digit never matches.
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
  std::string meant = LowerCase(host);
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
    if (source == "method") return FindMethodRegexFault(text);
    return source == "path" ? FindPathRegexFault(text) : std::nullopt;
  }
  if (source == "method") return FindMethodFault(text);
  if (source == "path") return FindPathFault(text);
  if (source == "host") return FindHostFault(text);
  return std::nullopt;
}

// Warns about values of lists; about each only once, though several rules may look up the same
// attribute in a list.
class ListChecks {
 public:
  ListChecks(const DomainSpec& domain, ConfigProblems& problems) : problems_(problems) {
    for (const ListSpec& list : domain.lists) lists_.emplace(list.name, &list);
  }

  void Check(const RuleSpec& rule, const ConditionSpec& condition, std::string_view source) {
    constexpr std::size_t kMaxReported = 10;
    const auto found = lists_.find(condition.matcher.texts.front());
    if (found == lists_.end()) return;
    const ListSpec& list = *found->second;
    if (!checked_.emplace(list.name, source).second) return;
    std::size_t reported = 0;
    for (std::size_t i = 0; i < list.values.size() && reported < kMaxReported; ++i) {
      const Fault fault = FindFault(source, MatcherSpec::Kind::kValues, list.values[i]);
      if (!fault) continue;
      ++reported;
      problems_.Warn(OriginOf(list, i),
                     Concat(*fault, " (the rule ", Quoted(rule.name), " looks for ",
                            Quoted(condition.attribute), " in the list ", Quoted(list.name), ")"));
    }
  }

 private:
  ConfigProblems& problems_;
  std::unordered_map<std::string_view, const ListSpec*> lists_;
  std::set<std::pair<std::string_view, std::string_view>> checked_;  // list and source
};

}  // namespace

void CheckMatchable(const DomainSpec& domain, ConfigProblems& problems) {
  const AliasSources sources(domain);
  ListChecks lists(domain, problems);
  for (const RuleSpec& rule : domain.rules) {
    for (const ConditionSpec& condition : rule.match) {
      const MatcherSpec& matcher = condition.matcher;
      const std::string_view source = sources.SourceOf(condition.attribute);
      if (matcher.kind == MatcherSpec::Kind::kIn) {
        lists.Check(rule, condition, source);
        continue;
      }
      for (const std::string& text : matcher.texts) {
        if (Fault fault = FindFault(source, matcher.kind, text)) {
          problems.Warn(matcher.origin, *std::move(fault));
        }
      }
    }
  }
}

}  // namespace sluice
