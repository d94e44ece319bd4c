#include "wire/grpc/grpc_frame.h"

#include <cassert>
#include <cstdint>
#include <limits>

namespace sluice {
namespace {

constexpr unsigned char kPlain = 0;
constexpr unsigned char kCompressed = 1;

std::uint32_t LengthIn(std::string_view prefix) {
  std::uint32_t length = 0;
  for (std::size_t i = 1; i < kGrpcPrefixSize; ++i) {
    length = length << 8U | static_cast<unsigned char>(prefix[i]);
  }
  return length;
}

}  // namespace

std::variant<GrpcMessage, GrpcNeedsMore, GrpcFault> NextGrpcMessage(std::string_view stream,
                                                                    std::size_t max_message_bytes) {
  if (stream.empty()) return GrpcNeedsMore{};
  const auto flag = static_cast<unsigned char>(stream.front());
  if (flag == kCompressed) {
    return GrpcFault{GrpcStatus::kUnimplemented, "compressed messages are not supported"};
  }
  if (flag != kPlain) {
    return GrpcFault{GrpcStatus::kInternal, "the prefix of a message has a flag that is none"};
  }
  if (stream.size() < kGrpcPrefixSize) return GrpcNeedsMore{};
  const std::size_t length = LengthIn(stream);
  if (length > max_message_bytes) {
    return GrpcFault{GrpcStatus::kResourceExhausted, "a message of " + std::to_string(length) +
                                                         " bytes is over the bound of " +
                                                         std::to_string(max_message_bytes)};
  }
  if (stream.size() - kGrpcPrefixSize < length) return GrpcNeedsMore{};
  return GrpcMessage{stream.substr(kGrpcPrefixSize, length), kGrpcPrefixSize + length};
}

std::variant<std::string_view, GrpcFault> ReadUnaryMessage(std::string_view body,
                                                           std::size_t max_message_bytes) {
  auto next = NextGrpcMessage(body, max_message_bytes);
  if (auto* fault = std::get_if<GrpcFault>(&next)) return std::move(*fault);
  const auto* first = std::get_if<GrpcMessage>(&next);
  if (first == nullptr) {
    return GrpcFault{GrpcStatus::kInternal,
                     body.empty() ? "the request has no message" : "the message is cut off"};
  }
  if (first->frame_size != body.size()) {
    return GrpcFault{GrpcStatus::kInternal, "the request has more than one message"};
  }
  return first->message;
}

std::size_t BeginGrpcMessage(std::string& out) {
  const std::size_t begin = out.size();
  out.append(kGrpcPrefixSize, '\0');
  return begin;
}

void EndGrpcMessage(std::size_t begin, std::string& out) {
  const std::size_t length = out.size() - begin - kGrpcPrefixSize;
  assert(length <= std::numeric_limits<std::uint32_t>::max());
  for (std::size_t i = 1; i < kGrpcPrefixSize; ++i) {
    out[begin + i] = static_cast<char>(length >> (8 * (kGrpcPrefixSize - 1 - i)));
  }
}

}  // namespace sluice
