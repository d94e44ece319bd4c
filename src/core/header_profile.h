// HeaderProfile: the set of reply headers that inform callers about their limits.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string_view>

#include "base/enum_name.h"
#include "sluice/result.h"

namespace sluice {

enum class HeaderProfile : std::uint8_t {
  kIetf,        // RateLimit-Policy, RateLimit
  kXRateLimit,  // X-RateLimit-Limit, -Remaining, -Reset, -Retry-After
  kEnvoy,       // X-RateLimit-Limit with the limits that apply, -Remaining, -Reset
  kGithub,      // X-RateLimit-Limit, -Remaining, -Reset as a point in time, -Used, -Resource
  kOpenAi,      // x-ratelimit-limit-requests, -remaining-requests, -reset-requests; and -tokens
  kNone,
};

inline constexpr std::array kHeaderProfileWords = {
    EnumName<HeaderProfile>{"ietf", HeaderProfile::kIetf},
    EnumName<HeaderProfile>{"x-ratelimit", HeaderProfile::kXRateLimit},
    EnumName<HeaderProfile>{"envoy", HeaderProfile::kEnvoy},
    EnumName<HeaderProfile>{"github", HeaderProfile::kGithub},
    EnumName<HeaderProfile>{"openai", HeaderProfile::kOpenAi},
    EnumName<HeaderProfile>{"none", HeaderProfile::kNone},
};

constexpr std::span<const EnumName<HeaderProfile>> WordsFor(HeaderProfile) {
  return kHeaderProfileWords;
}

// Returns the profile with this name. The error suggests a similar name.
Result<HeaderProfile> ReadHeaderProfile(std::string_view word);

}  // namespace sluice
