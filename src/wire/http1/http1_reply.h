// Http1ReplyReader: reads the replies of HTTP/1 servers.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "wire/http1/chunk_reader.h"
#include "wire/read_state.h"

namespace sluice {

// A reply. The body views the bytes it was read from or, if it was chunked, the reader's buffer.
struct Http1Reply {
  int status = 0;
  bool keeps_alive = true;  // whether the connection can be reused
  std::string_view body;
};

struct Http1ReplyBounds {
  std::size_t max_head_bytes = 65536;  // including the empty line and interim replies
  std::size_t max_body_bytes = std::size_t{16} << 20U;
};

// The result of reading the unread bytes.
struct Http1ReplyRead {
  ReadState state = ReadState::kMore;
  std::size_t consumed = 0;  // kWhole: bytes of the reply
  std::string_view fault;    // kFault: the error, as the rest of a sentence about the reply
};

// Reads replies to requests other than HEAD from the bytes of one connection. Interim replies (1xx)
// are skipped.
//
// Thread safety: none. Owns its progress and the buffer of a chunked body.
//
// Invariants:
//  1. The result does not depend on how the bytes are split into calls.
//  2. Time is linear in the bytes, plus a small constant per call.
//  3. The length of the body is unambiguous: lengths that are not numbers or that differ, a length
//     together with chunks, and encodings other than chunked are errors.
//  4. Nothing is kept or awaited beyond the bounds.
//  5. Nothing is allocated once the buffer has grown to the largest reply.
class Http1ReplyReader {
 public:
  explicit Http1ReplyReader(Http1ReplyBounds bounds);

  // Reads the first reply in the unread bytes. REQUIRES: after kMore the unread bytes begin with
  // the same bytes (they may have moved in memory); after kFault it is not called again.
  Http1ReplyRead Read(std::string_view unread);

  // Reads like Read after the connection has ended: a reply without a length ends here. kMore means
  // that the reply was truncated or that there was none.
  Http1ReplyRead ReadEnd(std::string_view unread);

  // The last reply that was read as kWhole. Valid while its bytes stay in place.
  [[nodiscard]] const Http1Reply& reply() const { return reply_; }

 private:
  enum class Body : std::uint8_t { kNone, kLength, kChunked, kUntilEnd };

  // Reads the head at offset head_ and any interim replies, then sets body_begin_ to its end.
  ReadState ReadHead(std::string_view unread);
  // Returns the end of the head, after its empty line, or 0 if it has not arrived yet.
  std::size_t FindHeadEnd(std::string_view unread);
  // Reads a head that includes its empty line.
  bool ReadLines(std::string_view head);
  bool ReadStatusLine(std::string_view line);
  bool ReadField(std::string_view line);
  bool ReadLength(std::string_view value);
  void NoteConnection(std::string_view value);
  bool ValidateHead();
  ReadState ReadBody(std::string_view unread);
  Http1ReplyRead Finish(std::string_view unread, ReadState state);
  // Sets the fault and returns false.
  bool Refuse(std::string_view fault);

  Http1ReplyBounds bounds_;
  ChunkReader chunks_;
  std::string chunked_body_;
  Http1Reply reply_;
  std::string_view fault_;
  // Progress, as offsets from the start of the reply.
  std::size_t head_ = 0;
  std::size_t looked_ = 0;      // no empty line ends before this
  std::size_t body_begin_ = 0;  // 0 while the head is being read
  std::size_t end_ = 0;         // end of the bytes read
  Body body_ = Body::kNone;
  std::optional<std::uint64_t> length_;
  bool is_chunked_ = false;
  bool closes_ = false;
};

}  // namespace sluice
