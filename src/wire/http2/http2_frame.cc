#include "wire/http2/http2_frame.h"

namespace sluice {
namespace {

std::uint32_t ByteAt(std::string_view bytes, std::size_t at) {
  return static_cast<unsigned char>(bytes[at]);
}

// Writes the lowest `bytes` bytes of the number in network byte order.
void Put(std::uint32_t number, std::size_t bytes, char* at) {
  for (std::size_t i = bytes; i > 0; --i, number >>= 8U) at[i - 1] = static_cast<char>(number);
}

}  // namespace

Http2FrameHeader ReadHttp2FrameHeader(std::string_view bytes) {
  Http2FrameHeader header;
  header.length = ByteAt(bytes, 0) << 16U | ByteAt(bytes, 1) << 8U | ByteAt(bytes, 2);
  header.type = static_cast<Http2FrameType>(ByteAt(bytes, 3));
  header.flags = static_cast<std::uint8_t>(ByteAt(bytes, 4));
  // The highest bit is reserved and ignored.
  header.stream = ReadHttp2Number(bytes, 5) & kMaxHttp2Stream;
  return header;
}

std::uint32_t ReadHttp2Number(std::string_view bytes, std::size_t at) {
  return ByteAt(bytes, at) << 24U | ByteAt(bytes, at + 1) << 16U | ByteAt(bytes, at + 2) << 8U |
         ByteAt(bytes, at + 3);
}

void AppendHttp2FrameHeader(const Http2FrameHeader& header, std::string& out) {
  char bytes[kHttp2HeaderBytes];
  Put(static_cast<std::uint32_t>(header.length), 3, bytes);
  bytes[3] = static_cast<char>(header.type);
  bytes[4] = static_cast<char>(header.flags);
  Put(header.stream, 4, bytes + 5);
  out.append(bytes, sizeof bytes);
}

void AppendHttp2Number(std::uint32_t number, std::string& out) {
  char bytes[4];
  Put(number, sizeof bytes, bytes);
  out.append(bytes, sizeof bytes);
}

void AppendHttp2Setting(Http2Setting setting, std::uint32_t value, std::string& out) {
  char name[2];
  Put(static_cast<std::uint32_t>(setting), sizeof name, name);
  out.append(name, sizeof name);
  AppendHttp2Number(value, out);
}

void AppendHttp2Reset(std::uint32_t stream, Http2Error error, std::string& out) {
  AppendHttp2FrameHeader({4, Http2FrameType::kReset, 0, stream}, out);
  AppendHttp2Number(static_cast<std::uint32_t>(error), out);
}

void AppendHttp2Goaway(std::uint32_t last_stream, Http2Error error, std::string& out) {
  AppendHttp2FrameHeader({8, Http2FrameType::kGoaway, 0, 0}, out);
  AppendHttp2Number(last_stream, out);
  AppendHttp2Number(static_cast<std::uint32_t>(error), out);
}

void AppendHttp2WindowUpdate(std::uint32_t stream, std::uint32_t more, std::string& out) {
  AppendHttp2FrameHeader({4, Http2FrameType::kWindowUpdate, 0, stream}, out);
  AppendHttp2Number(more, out);
}

std::size_t BeginHttp2Frame(const Http2FrameHeader& header, std::string& out) {
  const std::size_t begin = out.size();
  AppendHttp2FrameHeader(header, out);
  return begin;
}

std::size_t EndHttp2Frame(std::size_t begin, std::string& out) {
  const std::size_t length = out.size() - begin - kHttp2HeaderBytes;
  Put(static_cast<std::uint32_t>(length), 3, out.data() + begin);
  return length;
}

}  // namespace sluice
