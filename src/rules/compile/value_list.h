// ValueList: a list of a rule file, for lookups by value.
#pragma once

#include <span>
#include <string>
#include <variant>

#include "rules/compile/ip_set.h"
#include "rules/compile/text_map.h"
#include "rules/model/attribute_value.h"

namespace sluice {

// Either addresses and prefixes, or plain texts, depending on the values.
//
// Thread safety: any number of threads may read.
class ValueList {
 public:
  ValueList() = default;
  explicit ValueList(std::span<const std::string> values);
  // Returns the list for lookups of paths: the PathTexts of all values, without trailing slashes. A
  // star in a list is a literal star.
  static ValueList OfPaths(std::span<const std::string> values);

  [[nodiscard]] bool Has(AttributeValue& value) const;

  // Prefetches what Has will load, if that is slow.
  void Prefetch(AttributeValue& value) const;

 private:
  std::variant<TextMap, IpSet> values_;
};

}  // namespace sluice
