// RuleLimit: a limit of a rule set, with the id that its states are stored under.
#pragma once

#include <string>
#include <string_view>

#include "core/limit/limit.h"

namespace sluice {

struct RuleSpec;

// Immutable; lives as long as its RuleSet.
struct RuleLimit {
  std::string id;         // "api/rules/posts/m": unique, and stable across reloads
  std::string_view rule;  // the rule's name in replies
  std::string_view name;
  const Limit* limit = nullptr;
  std::string_view domain = {};
  std::string_view plan = {};      // the plan it belongs to, or empty
  const RuleSpec* spec = nullptr;  // the rule it belongs to; null for a descriptor
};

// Builds an id from parts; escapes each part so that different lists of parts make different ids.
class RuleLimitId {
 public:
  explicit RuleLimitId(std::string_view domain) { Escape(domain); }

  RuleLimitId& Add(std::string_view part) {
    id_.push_back('/');
    Escape(part);
    return *this;
  }
  // Adds one part made of two texts: "key=value".
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
