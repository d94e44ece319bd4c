#include "config/syntax/secrecy.h"

#include "base/text.h"

namespace sluice {
namespace {

constexpr std::string_view kSigns = "-?:,[]{}#&*!|>'\"%@`";
constexpr std::string_view kOtherText = "other text";

}  // namespace

std::string QuotedSign(std::string_view character, Secrecy secrecy) {
  const bool is_sign = character.size() == 1 && kSigns.find(character) != std::string_view::npos;
  return is_sign ? Quoted(character) : QuotedText(character, secrecy);
}

std::string QuotedText(std::string_view text, Secrecy secrecy) {
  return secrecy == Secrecy::kOpen ? Quoted(text) : std::string(kOtherText);
}

std::string Describe(const Value& value, Secrecy secrecy) {
  if (secrecy == Secrecy::kOpen) return value.Description();
  if (value.AsBoolean() != nullptr) return "a boolean";
  if (value.AsString() != nullptr) return "a string";
  if (value.AsNumber() != nullptr) return "a number";
  return value.Description();
}

std::string DuplicateKey(std::string_view key, Secrecy secrecy) {
  return secrecy == Secrecy::kOpen ? Concat("duplicate key ", Quoted(key)) : "duplicate key";
}

}  // namespace sluice
