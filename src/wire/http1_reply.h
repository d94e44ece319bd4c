// Http1ReplyReader: the replies that servers of HTTP/1 send.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "wire/chunk_reader.h"
#include "wire/read_state.h"

namespace sluice {

// A reply. The body views the bytes it was read from or, where it came in chunks, the reader.
struct Http1Reply {
  int status = 0;
  bool keeps_alive = true;  // whether the connection takes another request
  std::string_view body;
};

struct Http1ReplyBounds {
  std::size_t head_bytes_most = 65536;  // with the empty line at its end, and interim replies
  std::size_t body_bytes_most = std::size_t{16} << 20U;
};

// What became of the unread bytes.
struct Http1ReplyRead {
  ReadState state = ReadState::kMore;
  std::size_t consumed = 0;  // kWhole: the bytes of the reply
  std::string_view fault;    // kFault: what was wrong, as the rest of a sentence about the reply
};

// Reads replies to requests other than HEAD from the bytes of one connection. Interim replies (1xx)
// are read over.
//
// Thread safety: none. Owns its progress and a body that came in chunks.
//
// Invariants:
//  1. What is read does not depend on how the bytes were cut into parts.
//  2. Time is linear in the bytes, plus a small constant for every call.
//  3. How long the body is has one answer: lengths that are no number or differ, a length together
//     with chunks, and encodings other than chunked are faults.
//  4. Nothing is kept or waited for beyond the bounds.
//  5. Once it has seen the largest reply it allocates nothing.
class Http1ReplyReader {
 public:
  explicit Http1ReplyReader(Http1ReplyBounds bounds);

  // Reads the first reply of the unread bytes. REQUIRES: after kMore they begin with the same
  // bytes, wherever they lie now; after kFault it is not called again.
  Http1ReplyRead Read(std::string_view unread);

  // The same where no more bytes will come: a reply that said no length ends here. kMore stands for
  // a reply that is cut off, or none at all.
  Http1ReplyRead ReadEnd(std::string_view unread);

  // The last reply that was read whole, as long as its bytes are where they were.
  [[nodiscard]] const Http1Reply& reply() const { return reply_; }

 private:
  enum class Body : std::uint8_t { kNone, kLength, kChunked, kUntilEnd };

  // The head at offset head_; leaves body_begin_ after it.
  ReadState ReadHead(std::string_view unread);
  // Where the head ends, after its empty line; 0 while it does not.
  std::size_t FindHeadEnd(std::string_view unread);
  // A head with its empty line.
  bool ReadLines(std::string_view head);
  bool ReadStatusLine(std::string_view line);
  bool ReadField(std::string_view line);
  bool ReadLength(std::string_view value);
  void NoteConnection(std::string_view value);
  bool JudgeHead();
  ReadState ReadBody(std::string_view unread);
  Http1ReplyRead Finish(std::string_view unread, ReadState state);
  // False, with the fault set.
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
  std::size_t end_ = 0;         // as far as is read
  Body body_ = Body::kNone;
  std::optional<std::uint64_t> length_;
  bool is_chunked_ = false;
  bool closes_ = false;
};

}  // namespace sluice
