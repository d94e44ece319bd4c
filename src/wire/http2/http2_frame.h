// Encoding and decoding of HTTP/2 frames (RFC 9113).
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace sluice {

// The first bytes of every client connection.
inline constexpr std::string_view kHttp2Preface = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";

enum class Http2FrameType : std::uint8_t {
  kData = 0,
  kHeaders = 1,
  kPriority = 2,
  kReset = 3,
  kSettings = 4,
  kPushPromise = 5,
  kPing = 6,
  kGoaway = 7,
  kWindowUpdate = 8,
  kContinuation = 9,
};

enum class Http2Error : std::uint32_t {
  kNone = 0,
  kProtocol = 1,
  kInternal = 2,
  kFlowControl = 3,
  kStreamClosed = 5,
  kFrameSize = 6,
  kRefusedStream = 7,
  kCancel = 8,
  kCompression = 9,
  kEnhanceYourCalm = 11,
};

enum class Http2Setting : std::uint16_t {
  kHeaderTableSize = 1,
  kEnablePush = 2,
  kMaxConcurrentStreams = 3,
  kInitialWindowSize = 4,
  kMaxFrameSize = 5,
  kMaxHeaderListSize = 6,
};

// Flags, with the frame types that have them.
inline constexpr std::uint8_t kHttp2EndStream = 0x1;   // DATA, HEADERS
inline constexpr std::uint8_t kHttp2Ack = 0x1;         // SETTINGS, PING
inline constexpr std::uint8_t kHttp2EndHeaders = 0x4;  // HEADERS, CONTINUATION
inline constexpr std::uint8_t kHttp2Padded = 0x8;      // DATA, HEADERS
inline constexpr std::uint8_t kHttp2Priority = 0x20;   // HEADERS

inline constexpr std::size_t kHttp2HeaderBytes = 9;
// The maximum payload size. This is the default, and we never agree on another.
inline constexpr std::size_t kMaxHttp2Payload = std::size_t{1} << 14U;
// The initial and the maximum size of a flow control window, in bytes.
inline constexpr std::int32_t kHttp2Window = 65'535;
inline constexpr std::int64_t kMaxHttp2Window = (std::int64_t{1} << 31U) - 1;
// The maximum stream identifier.
inline constexpr std::uint32_t kMaxHttp2Stream = 0x7FFF'FFFF;

// The header that precedes a payload.
struct Http2FrameHeader {
  std::size_t length = 0;  // of the payload
  Http2FrameType type = Http2FrameType::kData;
  std::uint8_t flags = 0;
  std::uint32_t stream = 0;

  [[nodiscard]] bool Has(std::uint8_t flag) const { return (flags & flag) != 0; }
};

// Decodes a frame header. REQUIRES: bytes.size() >= kHttp2HeaderBytes.
Http2FrameHeader ReadHttp2FrameHeader(std::string_view bytes);

// Decodes the four-byte number at offset `at`. REQUIRES: bytes.size() >= at + 4.
std::uint32_t ReadHttp2Number(std::string_view bytes, std::size_t at = 0);

// The functions below append to `out`.
void AppendHttp2FrameHeader(const Http2FrameHeader& header, std::string& out);
void AppendHttp2Number(std::uint32_t number, std::string& out);
void AppendHttp2Setting(Http2Setting setting, std::uint32_t value, std::string& out);
void AppendHttp2Reset(std::uint32_t stream, Http2Error error, std::string& out);
void AppendHttp2Goaway(std::uint32_t last_stream, Http2Error error, std::string& out);
void AppendHttp2WindowUpdate(std::uint32_t stream, std::uint32_t more, std::string& out);

// BeginHttp2Frame begins a frame; the caller then appends the payload. EndHttp2Frame takes the
// result of BeginHttp2Frame, writes the payload's length into the header and returns it.
std::size_t BeginHttp2Frame(const Http2FrameHeader& header, std::string& out);
std::size_t EndHttp2Frame(std::size_t begin, std::string& out);

}  // namespace sluice
