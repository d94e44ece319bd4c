// Fuzzes the readers of gRPC frames and of the grpc-timeout header, and the encoding of
// grpc-message.
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "fuzz/must.h"
#include "wire/grpc/grpc_frame.h"
#include "wire/grpc/grpc_message.h"
#include "wire/grpc/grpc_timeout.h"

namespace sluice::fuzz {
namespace {

constexpr std::size_t kMaxMessageBytes = 1000;

// Reads messages until one is invalid or incomplete, and writes them to `again`. Returns the rest
// of the stream.
std::string_view ReadStream(std::string_view stream, std::string& again) {
  for (;;) {
    const auto next = NextGrpcMessage(stream, kMaxMessageBytes);
    const auto* message = std::get_if<GrpcMessage>(&next);
    if (message == nullptr) return stream;
    Must(message->message.size() <= kMaxMessageBytes, "a message is within its bound");
    const std::size_t begin = BeginGrpcMessage(again);
    again.append(message->message);
    EndGrpcMessage(begin, again);
    stream.remove_prefix(message->frame_size);
  }
}

void ReadFrames(std::string_view bytes) {
  std::string again;
  const std::string_view rest = ReadStream(bytes, again);
  Must(again == bytes.substr(0, bytes.size() - rest.size()),
       "frames that are written are those read");
  const auto unary = ReadUnaryMessage(bytes, kMaxMessageBytes);
  if (const auto* message = std::get_if<std::string_view>(&unary)) {
    Must(message->size() + kGrpcPrefixSize == bytes.size(), "a message is the whole body");
    Must(rest.empty(), "a body of one message is a stream of one");
  } else {
    const auto* fault = std::get_if<GrpcFault>(&unary);
    Must(fault->status != GrpcStatus::kOk && !fault->message.empty(), "a fault says what is wrong");
  }
}

void ReadTimeout(std::string_view text) {
  const auto timeout = ParseGrpcTimeout(text);
  if (!timeout.ok()) return;
  Must(text.size() >= 2 && text.size() <= 9, "a timeout is one to eight digits and a unit");
  Must(timeout.value() >= Nanos{0}, "a timeout is not negative");
}

int DigitOf(char digit) { return digit <= '9' ? digit - '0' : digit - 'A' + 10; }

void EncodeWords(std::string_view words) {
  std::string header;
  AppendGrpcMessage(words, header);
  std::string again;
  for (std::size_t at = 0; at < header.size(); ++at) {
    Must(header[at] >= ' ' && header[at] <= '~', "a header is printable ASCII");
    if (header[at] != '%') {
      again += header[at];
      continue;
    }
    Must(at + 2 < header.size(), "an escape has two digits");
    again += static_cast<char>(DigitOf(header[at + 1]) * 16 + DigitOf(header[at + 2]));
    at += 2;
  }
  Must(again == words, "words that are encoded are decoded the same");
}

}  // namespace
}  // namespace sluice::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::vector<char> bytes(data, data + size);
  const std::string_view text(bytes.data(), bytes.size());
  sluice::fuzz::ReadFrames(text);
  sluice::fuzz::ReadTimeout(text);
  sluice::fuzz::EncodeWords(text);
  return 0;
}
