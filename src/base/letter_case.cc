#include "base/letter_case.h"

namespace sluice {

std::string LowerCase(std::string_view text) {
  std::string lower(text);
  for (char& c : lower) {
    if (IsUpperLetter(c)) c = static_cast<char>(c - 'A' + 'a');
  }
  return lower;
}

std::string UpperCase(std::string_view text) {
  std::string upper(text);
  for (char& c : upper) {
    if (IsLowerLetter(c)) c = static_cast<char>(c - 'a' + 'A');
  }
  return upper;
}

}  // namespace sluice
