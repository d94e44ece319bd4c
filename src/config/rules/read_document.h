// ReadDocument: reads one document of a rule file; a document belongs to one domain.
#pragma once

#include <optional>

#include "base/value.h"
#include "config/syntax/config_reader.h"
#include "rules/model/rule_spec.h"

namespace sluice {

// How many bits of an address are kept in keys, and where that is written.
struct WrittenBits {
  int bits = 0;
  Origin origin;
};

struct Document {
  // The document's part of the domain. Its ip_prefix is not filled in, because it may be written in
  // another document. The name is empty if the document has none.
  DomainSpec domain;
  std::optional<WrittenBits> v4;
  std::optional<WrittenBits> v6;
};

// Reads one document. Skips and reports invalid parts.
Document ReadDocument(const Value& value, ConfigReader& reading);

}  // namespace sluice
