// RedisScript: a script that Redis runs, and the name it has there.
#pragma once

#include <string>
#include <string_view>

namespace sluice {

// A script that is part of the program, called by its name: a Redis that does not know it answers
// NOSCRIPT, and is told the text with SCRIPT LOAD. Immutable; share it between threads freely.
struct RedisScript {
  std::string_view text;
  std::string sha1;  // 40 hexadecimal digits, as SCRIPT LOAD answers and EVALSHA takes them
};

// Decides one request over up to 64 keys (scripts/decide.lua).
const RedisScript& DecideScript();

// Gives terms that a key has not met a state there (scripts/new_terms.lua).
const RedisScript& NewTermsScript();

// Takes, keeps or gives back one permit (scripts/permit.lua).
const RedisScript& PermitScript();

// Counts the nodes of a fleet that are alive (scripts/nodes.lua).
const RedisScript& NodesScript();

}  // namespace sluice
