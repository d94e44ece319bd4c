// The frames of HTTP/2 (RFC 9113) as bytes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace sluice {

// What a client says first.
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

// Flags, by the types of frames that have them.
inline constexpr std::uint8_t kHttp2EndStream = 0x1;   // DATA, HEADERS
inline constexpr std::uint8_t kHttp2Ack = 0x1;         // SETTINGS, PING
inline constexpr std::uint8_t kHttp2EndHeaders = 0x4;  // HEADERS, CONTINUATION
inline constexpr std::uint8_t kHttp2Padded = 0x8;      // DATA, HEADERS
inline constexpr std::uint8_t kHttp2Priority = 0x20;   // HEADERS

inline constexpr std::size_t kHttp2HeaderBytes = 9;
// How long a payload may be where nothing else was agreed; here nothing else ever is.
inline constexpr std::size_t kHttp2PayloadMost = std::size_t{1} << 14U;
// Windows begin with so many bytes, and never have more than those.
inline constexpr std::int32_t kHttp2Window = 65'535;
inline constexpr std::int64_t kHttp2WindowMost = (std::int64_t{1} << 31U) - 1;
// The highest number that a stream can have.
inline constexpr std::uint32_t kHttp2StreamMost = 0x7FFF'FFFF;

// What stands before a payload.
struct Http2FrameHeader {
  std::size_t length = 0;  // of the payload
  Http2FrameType type = Http2FrameType::kData;
  std::uint8_t flags = 0;
  std::uint32_t stream = 0;

  [[nodiscard]] bool Has(std::uint8_t flag) const { return (flags & flag) != 0; }
};

// REQUIRES: kHttp2HeaderBytes at least.
Http2FrameHeader ReadHttp2FrameHeader(std::string_view bytes);

// The number of four bytes that begins at `at`. REQUIRES: they are there.
std::uint32_t ReadHttp2Number(std::string_view bytes, std::size_t at = 0);

// All of these append to `out`.
void AppendHttp2FrameHeader(const Http2FrameHeader& header, std::string& out);
void AppendHttp2Number(std::uint32_t number, std::string& out);
void AppendHttp2Setting(Http2Setting setting, std::uint32_t value, std::string& out);
void AppendHttp2Reset(std::uint32_t stream, Http2Error error, std::string& out);
void AppendHttp2Goaway(std::uint32_t last_stream, Http2Error error, std::string& out);
void AppendHttp2WindowUpdate(std::uint32_t stream, std::uint32_t more, std::string& out);

// Begins a frame whose payload is what is appended before EndHttp2Frame, which takes what this
// returns and says how long the payload was.
std::size_t BeginHttp2Frame(const Http2FrameHeader& header, std::string& out);
std::size_t EndHttp2Frame(std::size_t begin, std::string& out);

}  // namespace sluice
