// ChunkReader: bodies of HTTP/1 that come in chunks.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "wire/read_state.h"

namespace sluice {

struct ChunkBounds {
  std::size_t body_bytes_most = std::size_t{1} << 20U;
  std::size_t line_bytes_most = 256;       // a chunk's size with its extensions
  std::size_t trailer_bytes_most = 16384;  // all of them
};

// What became of the unread bytes.
struct ChunkRead {
  ReadState state = ReadState::kMore;
  std::size_t consumed = 0;  // so many at the front are done with
  // kFault: whether the body is over its bound rather than malformed.
  bool is_too_large = false;
};

// Puts a chunked body together. Extensions and trailers are read over.
//
// Thread safety: none. Owns its progress; the body is the caller's.
//
// Invariants
//   (1) What is read does not depend on how the bytes were cut into parts.
//   (2) Sizes are hexadecimal digits alone, and lines end in CR LF: whatever two readers might read
//       differently is refused.
//   (3) Nothing is kept beyond the bounds.
class ChunkReader {
 public:
  explicit ChunkReader(ChunkBounds bounds) : bounds_(bounds) {}

  // Makes it ready for another body.
  void Begin();

  // Goes on with a body, which it appends to `body`. REQUIRES: after kMore the unread bytes go on
  // where those consumed ended; after kFault it is not called again before Begin.
  ChunkRead Read(std::string_view unread, std::string& body);

 private:
  enum class Next : std::uint8_t { kSize, kData, kDataEnd, kTrailer, kNothing };

  // One step. False where more bytes are needed, or state_ says that it is over.
  bool Step(std::string_view unread, std::string& body);
  bool ReadSize(std::string_view unread, const std::string& body);
  bool ReadTrailer(std::string_view unread);
  // The line at the front without its end; `found` is false if it is not whole yet.
  std::string_view TakeLine(std::string_view unread, std::size_t bytes_most, bool& found);
  bool Fault();

  ChunkBounds bounds_;
  Next next_ = Next::kSize;
  std::uint64_t left_ = 0;  // of the chunk
  std::size_t trailer_bytes_ = 0;
  ReadState state_ = ReadState::kMore;
  std::size_t consumed_ = 0;  // by this call
  bool is_too_large_ = false;
};

}  // namespace sluice
