// RespReader: reads the commands of RESP clients.
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
  std::size_t max_arguments = 1024;
  std::size_t max_bytes = 65536;  // of one command, as sent; REQUIRES: at least 64
};

// The result of reading the unread bytes.
struct RespCommandRead {
  ReadState state = ReadState::kMore;
  // The number of bytes at the front that were read: the command, and any empty lines and commands
  // without arguments before it, which need no reply.
  std::size_t consumed = 0;
  // kMore: the minimum number of bytes that are missing.
  std::size_t missing = 0;
  // kWhole: the name of the command, then its arguments. Never empty.
  std::span<const std::string_view> arguments;
  // kFault: "Protocol error: ...", in the words of Redis if it has the same error.
  std::string_view fault;
};

// Reads commands from the bytes of one connection. It accepts arrays of bulk strings, the form that
// every client sends; it does not accept inline commands, nested arrays or RESP3 types.
//
// Thread safety: none. Owns nothing but its progress. The arguments view the bytes they were read
// from, and the span of them is valid until the next Read.
//
// Invariants:
//  1. The result does not depend on how the bytes are split into calls.
//  2. Time is linear in the bytes, plus a small constant per call: the part of a command that was
//     read is not read again when more of it arrives.
//  3. A command over the bounds is refused as soon as its lengths show it, before its bytes are
//     awaited: kMore never asks for more than max_bytes in total.
//  4. Nothing is allocated once the vectors have grown to the largest command.
//  5. *0, *-1 and empty lines between commands are skipped, as in Redis (`redis-cli --pipe` sends
//     such a line); every other negative count is an error.
class RespReader {
 public:
  explicit RespReader(RespCommandBounds bounds) : bounds_(bounds) {}

  // Reads the first command in the unread bytes. REQUIRES: after kMore the unread bytes begin with
  // the same bytes, less the consumed ones (they may have moved in memory); after kFault it is not
  // called again.
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
  std::size_t begin_ = 0;           // offset of the next argument in the command
  std::size_t arguments_left_ = 0;  // 0 between commands
  std::vector<Place> places_;
  std::vector<std::string_view> arguments_;
  std::string fault_;
};

}  // namespace sluice
