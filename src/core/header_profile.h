// HeaderProfile: which headers tell callers about their limits.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string_view>

#include "core/limit_words.h"
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
    Word<HeaderProfile>{"ietf", HeaderProfile::kIetf},
    Word<HeaderProfile>{"x-ratelimit", HeaderProfile::kXRateLimit},
    Word<HeaderProfile>{"envoy", HeaderProfile::kEnvoy},
    Word<HeaderProfile>{"github", HeaderProfile::kGithub},
    Word<HeaderProfile>{"openai", HeaderProfile::kOpenAi},
    Word<HeaderProfile>{"none", HeaderProfile::kNone},
};

constexpr std::span<const Word<HeaderProfile>> WordsFor(HeaderProfile) {
  return kHeaderProfileWords;
}

// Reads one of these words.
Result<HeaderProfile> ReadHeaderProfile(std::string_view word);

}  // namespace sluice
