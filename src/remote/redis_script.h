// RedisScript: a script that Redis runs, and the name it has there.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace sluice {

// How a script is sent.
enum class ScriptAs : std::uint8_t {
  kName,  // EVALSHA; a Redis that does not know the script answers NOSCRIPT
  kText,  // EVAL: from then on it knows it
};

constexpr std::string_view CommandFor(ScriptAs script_as) {
  return script_as == ScriptAs::kName ? "EVALSHA" : "EVAL";
}

// A script that is part of the program. Immutable; share it between threads freely.
struct RedisScript {
  std::string_view text;
  std::string sha1;  // 40 hexadecimal digits, as SCRIPT LOAD answers and EVALSHA takes them

  [[nodiscard]] std::string_view As(ScriptAs script_as) const {
    return script_as == ScriptAs::kName ? std::string_view(sha1) : text;
  }
};

// Decides one request over up to 64 keys (scripts/decide.lua).
const RedisScript& DecideScript();

// Replaces states that were written under other terms (scripts/replace.lua).
const RedisScript& ReplaceScript();

// Takes, keeps or gives back one permit (scripts/permit.lua).
const RedisScript& PermitScript();

// Counts the nodes of a fleet that are alive (scripts/nodes.lua).
const RedisScript& NodesScript();

}  // namespace sluice
