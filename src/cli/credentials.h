// Credentials: what a caller shows beside its request.
#pragma once

#include <string>
#include <string_view>

#include "cli/flags.h"
#include "core/header_list.h"
#include "sluice/result.h"

namespace sluice::cli {

inline constexpr Flag kHeaderFlag{"--header", FlagValues::kEach, "'NAME: VALUE'", "'x-team: a'"};
inline constexpr Flag kTokenFlag{"--token-file", FlagValues::kOne, "FILE", "token.txt"};

// A value. No message and no output repeats any of it but the names of headers.
struct Credentials {
  HeaderList headers;  // names in lower case; with that of the token
  std::string token;   // empty: none
};

// The flags --header and --token-file.
Result<Credentials> ReadCredentials(const GivenFlags& given);

// "x-team: a\r\n", for each.
std::string HeaderLines(const HeaderList& headers);

// The command AUTH of RESP; nothing without a token.
std::string AuthCommand(std::string_view token);

}  // namespace sluice::cli
