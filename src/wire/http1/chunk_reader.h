// ChunkReader: decodes HTTP/1 bodies with the chunked transfer encoding.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "wire/read_state.h"

namespace sluice {

struct ChunkBounds {
  std::size_t max_body_bytes = std::size_t{1} << 20U;
  std::size_t max_line_bytes = 256;       // a chunk's size with its extensions
  std::size_t max_trailer_bytes = 16384;  // of all trailers together
};

// The result of reading the unread bytes.
struct ChunkRead {
  ReadState state = ReadState::kMore;
  std::size_t consumed = 0;  // number of bytes at the front that were read
  // kFault: true if the body exceeds its bound, false if it is malformed.
  bool is_too_large = false;
};

// Decodes a chunked body. Chunk extensions and trailers are checked and dropped.
//
// Thread safety: none. Owns its progress; the caller owns the body.
//
// Invariants
//   (1) The result does not depend on how the bytes are split into calls.
//   (2) Sizes are hexadecimal digits only, and lines end in CR LF. Anything that two parsers could
//       read differently is refused, to prevent request smuggling.
//   (3) Nothing is kept beyond the bounds.
class ChunkReader {
 public:
  explicit ChunkReader(ChunkBounds bounds) : bounds_(bounds) {}

  // Prepares for another body.
  void Begin();

  // Decodes more of a body and appends it to `body`. REQUIRES: after kMore the unread bytes
  // continue where the consumed ones ended; after kFault, Begin is called first.
  ChunkRead Read(std::string_view unread, std::string& body);

 private:
  enum class Next : std::uint8_t { kSize, kData, kDataEnd, kTrailer, kNothing };

  // Takes one step. Returns false if more bytes are needed, or if state_ has left kMore.
  bool Step(std::string_view unread, std::string& body);
  bool ReadSize(std::string_view unread, const std::string& body);
  bool ReadTrailer(std::string_view unread);
  // Returns the line at the front without its CR LF. Sets `found` to false if the line has not
  // ended yet or is malformed; the latter also sets state_ to kFault.
  std::string_view TakeLine(std::string_view unread, std::size_t max_bytes, bool& found);
  bool Fault();

  ChunkBounds bounds_;
  Next next_ = Next::kSize;
  std::uint64_t left_ = 0;  // bytes left in the chunk
  std::size_t trailer_bytes_ = 0;
  ReadState state_ = ReadState::kMore;
  std::size_t consumed_ = 0;  // by this call
  bool is_too_large_ = false;
};

}  // namespace sluice
