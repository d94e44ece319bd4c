// RuleLimit: a limit of a rule set, under the name its states are kept by.
#pragma once

#include <string>
#include <string_view>

#include "core/limit.h"

namespace sluice {

struct RuleSpec;

// Immutable; lives with its RuleSet.
struct RuleLimit {
  std::string id;         // "api/rules/posts/m": unique, and the same after a reload
  std::string_view rule;  // what it is called in answers
  std::string_view name;
  const Limit* limit = nullptr;
  std::string_view domain = {};
  std::string_view plan = {};      // that it is of, or empty
  const RuleSpec* spec = nullptr;  // the rule that it is of; null where it is a descriptor's
};

// The parts of an id, each escaped so that no two lists of parts make the same id.
class RuleLimitId {
 public:
  explicit RuleLimitId(std::string_view domain) { Escape(domain); }

  RuleLimitId& Add(std::string_view part) {
    id_.push_back('/');
    Escape(part);
    return *this;
  }
  // A part of two: "key=value".
  RuleLimitId& Add(std::string_view key, std::string_view value) {
    Add(key);
    id_.push_back('=');
    Escape(value);
    return *this;
  }

  [[nodiscard]] const std::string& text() const { return id_; }

 private:
  void Escape(std::string_view part) {
    constexpr std::string_view kDigits = "0123456789abcdef";
    for (const char c : part) {
      if (c != '/' && c != '=' && c != '%') {
        id_.push_back(c);
        continue;
      }
      const auto byte = static_cast<unsigned char>(c);
      id_.push_back('%');
      id_.push_back(kDigits[byte >> 4U]);
      id_.push_back(kDigits[byte & 15U]);
    }
  }

  std::string id_;
};

}  // namespace sluice
