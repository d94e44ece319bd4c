// Comparing secrets.
#pragma once

#include <cstddef>
#include <string_view>

namespace sluice {

// Takes as long wherever the first difference is, so that nobody learns a secret byte by byte.
// How long the known one is may be learnt.
constexpr bool IsSameSecret(std::string_view shown, std::string_view known) {
  if (shown.size() != known.size()) return false;
  unsigned difference = 0;
  for (std::size_t i = 0; i < shown.size(); ++i) {
    difference |= static_cast<unsigned>(shown[i] ^ known[i]);
  }
  return difference == 0;
}

// Whether an Authorization header shows the token.
constexpr bool ShowsToken(std::string_view authorization, std::string_view token) {
  constexpr std::string_view kBearer = "Bearer ";
  return authorization.starts_with(kBearer) &&
         IsSameSecret(authorization.substr(kBearer.size()), token);
}

}  // namespace sluice
