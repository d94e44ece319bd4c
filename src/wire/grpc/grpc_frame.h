// gRPC message framing: a prefix of five bytes, a compression flag and the length, precedes each
// message.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <variant>

#include "wire/grpc/grpc_status.h"

namespace sluice {

inline constexpr std::size_t kGrpcPrefixSize = 5;

// The first message of a stream.
struct GrpcMessage {
  std::string_view message;    // views the stream
  std::size_t frame_size = 0;  // bytes in the stream, including the prefix
};

// The stream does not hold a whole message yet.
struct GrpcNeedsMore {};

// Returns the first message of a stream. The prefix is validated as soon as it has arrived, so that
// a message that will be refused is never buffered. Errors:
//   - UNIMPLEMENTED: the message is compressed (the reply names the accepted encodings in
//     `grpc-accept-encoding`)
//   - INTERNAL: the flag is neither 0 nor 1
//   - RESOURCE_EXHAUSTED: the message is longer than `max_message_bytes`
std::variant<GrpcMessage, GrpcNeedsMore, GrpcFault> NextGrpcMessage(std::string_view stream,
                                                                    std::size_t max_message_bytes);

// Returns the only message of a unary request, given its whole body. A body that is empty,
// truncated or followed by more bytes is also an INTERNAL error, as in grpc-go.
std::variant<std::string_view, GrpcFault> ReadUnaryMessage(std::string_view body,
                                                           std::size_t max_message_bytes);

// Begins a message by appending room for its prefix; the caller then appends the message itself.
// Pass the result to EndGrpcMessage.
std::size_t BeginGrpcMessage(std::string& out);

// Writes the prefix of a message begun at `begin`. REQUIRES: the message is shorter than 4 GiB.
void EndGrpcMessage(std::size_t begin, std::string& out);

}  // namespace sluice
