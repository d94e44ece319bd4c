// Secrecy: what messages about a text may quote of it.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "core/value.h"

namespace sluice {

enum class Secrecy : std::uint8_t {
  kOpen,    // anything
  kSecret,  // nothing: it may hold secrets, and in the wrong place one looks like any other text
};

// The character that a text begins with, for messages: "'x'"; of a secret text "other text", but
// for the signs that YAML and JSON are made of.
std::string QuotedSign(std::string_view character, Secrecy secrecy);

// What is quoted of a text, if anything.
std::string QuotedText(std::string_view text, Secrecy secrecy);

// What a value is, for messages: "the string '20'"; of a secret text its kind alone, "a string".
std::string Describe(const Value& value, Secrecy secrecy);

// "duplicate key 'a'", or without the key.
std::string DuplicateKey(std::string_view key, Secrecy secrecy);

}  // namespace sluice
