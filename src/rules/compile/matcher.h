// Matcher: a compiled condition on the value of an attribute.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "rules/compile/ip_set.h"
#include "rules/compile/regex.h"
#include "rules/compile/text_map.h"
#include "rules/compile/value_list.h"
#include "rules/model/attribute_value.h"
#include "rules/model/glob.h"
#include "rules/model/rule_spec.h"

namespace sluice {

// A compiled MatcherSpec.
//
// Thread safety: any thread may call Holds. Lists are shared by all matchers that use them.
//
// Invariant: a negated matcher holds exactly if the matcher without `not` does not, so it also
// holds if the attribute is missing; any other matcher holds only if the attribute is present.
class Matcher {
 public:
  struct List {
    std::string name;
    std::shared_ptr<const ValueList> values;
    // The values as paths; null if no path is looked up in the list.
    std::shared_ptr<const ValueList> paths;
  };
  using Lists = std::vector<List>;

  // REQUIRES: CheckRules found no error in the spec; the list that it names is among `lists`.
  Matcher(const MatcherSpec& spec, AttributeKind kind, const Lists& lists);

  [[nodiscard]] bool Holds(AttributeValue& value) const {
    return (value.present() && Matches(value)) != negated_;
  }

 private:
  struct Texts {
    [[nodiscard]] bool HasGlobFor(std::string_view text) const;

    TextMap whole;
    std::vector<Glob> globs;
    std::optional<IpSet> addresses;  // only if the attribute is an address
  };
  // Paths are looked up without a trailing slash, and the values have none.
  struct PathList {
    std::shared_ptr<const ValueList> values;
  };
  struct Anything {};
  using What = std::variant<Anything, Texts, Regex, std::shared_ptr<const ValueList>, PathList>;

  static What Compile(const MatcherSpec& spec, AttributeKind kind, const Lists& lists);
  static Texts CompileTexts(const MatcherSpec& spec, AttributeKind kind);
  [[nodiscard]] bool Matches(AttributeValue& value) const;

  What what_;
  // Whole values are compared with the path without its trailing slash. Globs and regexes match if
  // they match the path with or without it.
  bool is_path_;
  bool negated_;
};

}  // namespace sluice
