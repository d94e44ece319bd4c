// The frames of gRPC: each message has five bytes in front, a flag and its length.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <variant>

#include "wire/grpc_status.h"

namespace sluice {

inline constexpr std::size_t kGrpcPrefixSize = 5;

// A message at the front of a stream.
struct GrpcMessage {
  std::string_view message;    // views the stream
  std::size_t frame_size = 0;  // bytes of the stream that are its own, prefix too
};

// More of the stream has to come before there is a message.
struct GrpcNeedsMore {};

// The first message of a stream, judged by its prefix as soon as that is there, so that nobody
// gathers what will be refused:
//   - compressed: UNIMPLEMENTED (the reply says what is accepted, in `grpc-accept-encoding`)
//   - a flag that is none: INTERNAL
//   - longer than `message_bytes_most`: RESOURCE_EXHAUSTED
std::variant<GrpcMessage, GrpcNeedsMore, GrpcFault> NextGrpcMessage(std::string_view stream,
                                                                    std::size_t message_bytes_most);

// The message of a request that has one, from its whole body. Also INTERNAL, as grpc-go has it: no
// message, one that is cut off, and anything after it.
std::variant<std::string_view, GrpcFault> ReadUnaryMessage(std::string_view body,
                                                           std::size_t message_bytes_most);

// Begins a message: appends its prefix, and what is appended next is the message.
// ENSURES: the result is for EndGrpcMessage.
std::size_t BeginGrpcMessage(std::string& out);

// Ends it: its length is put into the prefix. REQUIRES: the message is shorter than 4 GiB.
void EndGrpcMessage(std::size_t begin, std::string& out);

}  // namespace sluice
