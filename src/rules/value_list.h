// ValueList: a list of a rule file, looked up by value.
#pragma once

#include <span>
#include <string>
#include <variant>

#include "rules/attribute_value.h"
#include "rules/ip_set.h"
#include "rules/text_map.h"

namespace sluice {

// Addresses and prefixes, or plain texts; which of the two is said by what is in it.
//
// Thread safety: reading from any thread.
class ValueList {
 public:
  ValueList() = default;
  explicit ValueList(std::span<const std::string> values);
  // The list as paths are looked for in it: PathTexts of all values, none with a trailing slash. A
  // star in a list is a star.
  static ValueList OfPaths(std::span<const std::string> values);

  [[nodiscard]] bool Has(AttributeValue& value) const;

  // Begins to load what Has will ask for, if that is slow.
  void Prefetch(AttributeValue& value) const;

 private:
  std::variant<TextMap, IpSet> values_;
};

}  // namespace sluice
