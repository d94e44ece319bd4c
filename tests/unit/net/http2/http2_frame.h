// Builds HTTP/2 frames byte by byte, to send what no client library would.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace sluice {

constexpr std::string_view kPreface = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";
constexpr std::uint32_t kProtocolError = 1;
constexpr std::uint32_t kStreamClosed = 5;

enum class FrameType : std::uint8_t {
  kData = 0,
  kHeaders = 1,
  kReset = 3,
  kSettings = 4,
  kPing = 6,
  kGoaway = 7,
  kWindowUpdate = 8,
  kContinuation = 9,
};

// The END_STREAM and END_HEADERS flags of a frame.
enum class FrameEnd : std::uint8_t { kNothing = 0, kStream = 1, kHeaders = 4, kBoth = 5 };

inline std::string Frame(FrameType type, FrameEnd end, std::int32_t stream,
                         std::string_view payload) {
  std::string frame;
  const auto append = [&](std::size_t number, int bytes) {
    for (int i = bytes - 1; i >= 0; --i) frame += static_cast<char>(number >> (8 * i) & 0xFFU);
  };
  append(payload.size(), 3);
  append(static_cast<std::size_t>(type), 1);
  append(static_cast<std::size_t>(end), 1);
  append(static_cast<std::size_t>(stream), 4);
  return frame.append(payload);
}

// GET http://h/
inline std::string RequestFrame(std::int32_t stream, FrameEnd end) {
  const auto flags = static_cast<FrameEnd>(static_cast<std::uint8_t>(end) |
                                           static_cast<std::uint8_t>(FrameEnd::kHeaders));
  return Frame(FrameType::kHeaders, flags, stream, "\x82\x86\x84\x41\x01h");
}

inline std::string DataFrame(std::int32_t stream, std::string_view bytes, FrameEnd end) {
  return Frame(FrameType::kData, end, stream, bytes);
}

inline std::string ResetFrame(std::int32_t stream) {
  return Frame(FrameType::kReset, FrameEnd::kNothing, stream, std::string(4, '\0'));
}

inline std::string NumberBytes(std::uint32_t number) {
  std::string bytes;
  for (int shift = 24; shift >= 0; shift -= 8) bytes += static_cast<char>(number >> shift);
  return bytes;
}

inline std::string WindowFrame(std::int32_t stream, std::uint32_t more) {
  return Frame(FrameType::kWindowUpdate, FrameEnd::kNothing, stream, NumberBytes(more));
}

inline std::string SettingsFrame() {
  return Frame(FrameType::kSettings, FrameEnd::kNothing, 0, {});
}

struct SeenFrame {
  FrameType type = FrameType::kData;
  std::uint32_t stream = 0;
  std::string payload;
};

inline std::uint32_t NumberAt(std::string_view bytes, std::size_t at) {
  std::uint32_t number = 0;
  for (const char byte : bytes.substr(at, 4))
    number = number << 8U | static_cast<std::uint8_t>(byte);
  return number;
}

// Parses complete frames, one after another.
inline std::vector<SeenFrame> ReadFrames(std::string_view bytes) {
  std::vector<SeenFrame> frames;
  while (bytes.size() >= 9) {
    const std::size_t size = NumberAt(bytes, 0) >> 8U;
    frames.push_back(
        {static_cast<FrameType>(bytes[3]), NumberAt(bytes, 5), std::string(bytes.substr(9, size))});
    bytes.remove_prefix(9 + size);
  }
  return frames;
}

}  // namespace sluice
