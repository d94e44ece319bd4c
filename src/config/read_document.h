// ReadDocument: one document of a rule file, which is about one domain.
#pragma once

#include <optional>

#include "config/reading.h"
#include "core/value.h"
#include "rules/rule_spec.h"

namespace sluice {

// How many bits of an address make a key, and where that is written.
struct WrittenBits {
  int bits = 0;
  Origin origin;
};

struct Document {
  // What is written here for the domain; ip_prefix is not filled in, since a document may leave
  // open what another one says. The name is empty where none is written.
  DomainSpec domain;
  std::optional<WrittenBits> v4;
  std::optional<WrittenBits> v6;
};

// What is wrong is left out and reported.
Document ReadDocument(const Value& value, Reading& reading);

}  // namespace sluice
