// Credentials: the headers and the token that a caller sends with its request.
#pragma once

#include <string>
#include <string_view>

#include "base/header_list.h"
#include "cli/flags.h"
#include "sluice/result.h"

namespace sluice::cli {

inline constexpr Flag kHeaderFlag{"--header", FlagValues::kEach, "'NAME: VALUE'", "'x-team: a'"};
inline constexpr Flag kTokenFlag{"--token-file", FlagValues::kOne, "FILE", "token.txt"};

// A value type. No message and no output repeats any of it except for the names of headers.
struct Credentials {
  HeaderList headers;  // names in lower case; includes the header of the token
  std::string token;   // empty: none
};

// Reads the flags --header and --token-file.
Result<Credentials> ReadCredentials(const GivenFlags& given);

// Formats each header as a line: "x-team: a\r\n".
std::string HeaderLines(const HeaderList& headers);

// Returns the RESP command AUTH; empty if there is no token.
std::string AuthCommand(std::string_view token);

}  // namespace sluice::cli
