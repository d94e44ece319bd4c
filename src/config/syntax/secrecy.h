// Secrecy: how much of a text messages may quote.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/value.h"

namespace sluice {

enum class Secrecy : std::uint8_t {
  kOpen,  // anything may be quoted
  // Nothing may be quoted: the text may contain secrets, and a secret in the wrong place looks like
  // any other text.
  kSecret,
};

// Quotes one character for messages: "'x'". For a secret text, returns "other text" unless the
// character is YAML or JSON punctuation.
std::string QuotedSign(std::string_view character, Secrecy secrecy);

// Quotes a text for messages, or returns "other text" if it is secret.
std::string QuotedText(std::string_view text, Secrecy secrecy);

// Describes a value for messages: "the string '20'"; for a secret text only its type, "a string".
std::string Describe(const Value& value, Secrecy secrecy);

// Returns "duplicate key 'a'"; for a secret text without the key.
std::string DuplicateKey(std::string_view key, Secrecy secrecy);

}  // namespace sluice
