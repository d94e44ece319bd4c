// Matcher: what an attribute's value must be, ready to ask.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "rules/attribute_value.h"
#include "rules/glob.h"
#include "rules/ip_set.h"
#include "rules/regex.h"
#include "rules/rule_spec.h"
#include "rules/text_map.h"
#include "rules/value_list.h"

namespace sluice {

// A compiled MatcherSpec.
//
// Thread safety: Holds from any thread. Lists are shared by all that look into them.
//
// Invariant: a negated matcher holds exactly where the same one without `not` does not, so also
// where the attribute is missing; any other holds only where it is present.
class Matcher {
 public:
  struct List {
    std::string name;
    std::shared_ptr<const ValueList> values;
    // The same for paths; null where no path is looked for in it.
    std::shared_ptr<const ValueList> paths;
  };
  using Lists = std::vector<List>;

  // REQUIRES: CheckRules found nothing wrong with it; its list is among `lists`.
  Matcher(const MatcherSpec& spec, AttributeKind kind, const Lists& lists);

  [[nodiscard]] bool Holds(AttributeValue& value) const {
    return (value.present() && Matches(value)) != negated_;
  }

 private:
  struct Texts {
    [[nodiscard]] bool HasGlobFor(std::string_view text) const;

    TextMap whole;
    std::vector<Glob> globs;
    std::optional<IpSet> addresses;  // the whole values, where the attribute is an address
  };
  // Paths are looked up without a trailing slash, and the list has none.
  struct PathList {
    std::shared_ptr<const ValueList> values;
  };
  struct Anything {};
  using What = std::variant<Anything, Texts, Regex, std::shared_ptr<const ValueList>, PathList>;

  static What Compile(const MatcherSpec& spec, AttributeKind kind, const Lists& lists);
  static Texts CompileTexts(const MatcherSpec& spec, AttributeKind kind);
  [[nodiscard]] bool Matches(AttributeValue& value) const;

  What what_;
  // Whole values are compared with the path without its trailing slash; globs and regexes match if
  // they match it with or without that.
  bool is_path_;
  bool negated_;
};

}  // namespace sluice
