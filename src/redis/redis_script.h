// RedisScript: a Lua script and the SHA-1 name under which Redis knows it.
#pragma once

#include <string>
#include <string_view>

namespace sluice {

// A script that is compiled into the program and called with EVALSHA. A server that does not know
// it replies NOSCRIPT, and then gets the text with SCRIPT LOAD. Immutable, so it may be shared
// between threads.
struct RedisScript {
  std::string_view text;
  std::string sha1;  // 40 hexadecimal digits, as EVALSHA takes them
};

// Computes the SHA-1 of the text. REQUIRES: the text outlives the script.
RedisScript MakeRedisScript(std::string_view text);

}  // namespace sluice
