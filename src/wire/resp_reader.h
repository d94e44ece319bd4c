// RespReader: the commands that clients of RESP send.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "wire/read_state.h"

namespace sluice {

struct RespCommandBounds {
  std::size_t arguments_most = 1024;
  std::size_t bytes_most = 65536;  // of one command, as sent; REQUIRES: at least 64
};

// What became of the unread bytes.
struct RespCommandRead {
  ReadState state = ReadState::kMore;
  // So many bytes at the front are done with: the command, or commands without arguments and empty
  // lines, which need no answer.
  std::size_t consumed = 0;
  // kMore: at least so many bytes are missing.
  std::size_t missing = 0;
  // kWhole: the name of the command and what follows it. At least one.
  std::span<const std::string_view> arguments;
  // kFault: "Protocol error: ...", in the words of redis where redis has some.
  std::string_view fault;
};

// Reads commands from the bytes of one connection: arrays of bulk strings, the form that every
// client sends. No inline commands, nothing nested, no types of RESP3.
//
// Thread safety: none. Owns nothing but its progress. The arguments view the bytes they were read
// from, and the span of them is valid until the next Read.
//
// Invariants:
//  1. What is read does not depend on how the bytes were cut into parts.
//  2. Time is linear in the bytes, plus a small constant for every call: what was read of a command
//     is not read again when more of it arrives.
//  3. A command over the bounds is refused as soon as it says so, before its bytes are awaited:
//     kMore never asks for more than bytes_most in all.
//  4. Once it has seen the largest command it allocates nothing.
//  5. *0, *-1 and empty lines between commands are skipped, as redis does (`redis-cli --pipe` sends
//     such a line); every other negative number is a fault.
class RespReader {
 public:
  explicit RespReader(RespCommandBounds bounds) : bounds_(bounds) {}

  // Reads the first command of the unread bytes. REQUIRES: after kMore they begin with the same
  // bytes, less those consumed, wherever they lie now; after kFault it is not called again.
  RespCommandRead Read(std::string_view unread);

 private:
  struct Place {
    std::size_t begin = 0;
    std::size_t size = 0;
  };

  RespCommandRead ReadArguments(std::string_view command, std::size_t skipped);
  RespCommandRead Finish(std::string_view command, std::size_t skipped);
  static RespCommandRead More(std::size_t have, std::size_t need, std::size_t skipped);
  static RespCommandRead Fault(std::string_view text);
  RespCommandRead Unexpected(char expected, char got);

  RespCommandBounds bounds_;
  std::size_t begin_ = 0;           // of the next argument, from the start of the command
  std::size_t arguments_left_ = 0;  // 0 between commands
  std::vector<Place> places_;
  std::vector<std::string_view> arguments_;
  std::string fault_;
};

}  // namespace sluice
