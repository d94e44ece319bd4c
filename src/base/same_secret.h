// Constant-time comparison of secrets.
#pragma once

#include <cstddef>
#include <string_view>

namespace sluice {

// Takes the same time wherever the first difference is, so that an attacker cannot find a secret
// byte by byte. The time does reveal the length of `known`.
constexpr bool IsSameSecret(std::string_view shown, std::string_view known) {
  if (shown.size() != known.size()) return false;
  unsigned difference = 0;
  for (std::size_t i = 0; i < shown.size(); ++i) {
    difference |= static_cast<unsigned>(shown[i] ^ known[i]);
  }
  return difference == 0;
}

// Returns whether an Authorization header holds the bearer token.
constexpr bool ShowsToken(std::string_view authorization, std::string_view token) {
  constexpr std::string_view kBearer = "Bearer ";
  return authorization.starts_with(kBearer) &&
         IsSameSecret(authorization.substr(kBearer.size()), token);
}

}  // namespace sluice
