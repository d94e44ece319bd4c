// Http2Streams: the streams of one connection, by id, and the pool that they come from.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "net/http2/http2_stream.h"

namespace sluice {

// Holds open streams and spare ones, and remembers how streams that are no longer open ended.
//
// Thread safety: none. Ownership: owns its streams, whose addresses do not change.
//
// Invariants
//   (1) The ids of new streams only grow.
//   (2) The last kResetsKept streams that the server reset are remembered, because the client may
//       still send frames on them.
//   (3) The memory of spare streams is counted, and freed if the peer needs fewer streams at a
//       time.
class Http2Streams {
 public:
  // How a stream that is not open ended.
  enum class Past : std::uint8_t {
    kNone,    // it was never opened
    kPassed,  // it was never opened, and a stream with a higher id was
    kReset,   // the server reset it before the client had ended it
    kEnded,   // the client has ended or reset it
  };

  explicit Http2Streams(Http2Session& session) : session_(session) {}

  // Opens a stream. REQUIRES: id > newest().
  Http2Stream& Open(std::uint32_t id);
  // Records a stream that the server refuses. `ended`: the client has ended it.
  // REQUIRES: id > newest().
  void Skip(std::uint32_t id, bool ended);
  // Returns an open stream, or null.
  [[nodiscard]] Http2Stream* Find(std::uint32_t id) const;
  // Returns how a stream ended. REQUIRES: it is not open.
  [[nodiscard]] Past PastOf(std::uint32_t id) const;

  // Removes the stream from the open ones. Its content stays until it is reused.
  void Close(const Http2Stream& stream);
  // Records that the client has ended a stream that is not open.
  void NoteEnd(std::uint32_t id);
  // Returns a closed stream to the pool.
  void Recycle(Http2Stream& stream) {
    Count(stream);
    spare_.push_back(&stream);
  }

  // Returns the open streams, sorted by id.
  [[nodiscard]] std::span<Http2Stream* const> open() const { return open_; }
  // Returns the highest id so far.
  [[nodiscard]] std::uint32_t newest() const { return newest_; }

  // Frees all spare streams.
  void Trim() { Free(spare_.size()); }
  // Frees the streams that were never in use since the last call.
  void TrimUnused() {
    Free(min_spare_);
    min_spare_ = spare_.size();
  }
  // Returns the bytes held by all streams, each as of when it was last recycled.
  [[nodiscard]] std::size_t memory_bytes() const { return memory_bytes_; }

 private:
  static constexpr std::size_t kResetsKept = 256;

  void Pass(std::uint32_t id);
  void Count(Http2Stream& stream) {
    const std::size_t bytes = stream.memory_bytes();
    memory_bytes_ += bytes - std::exchange(stream.counted_bytes, bytes);
  }
  // Frees `count` spare streams, the longest unused first.
  void Free(std::size_t count);
  void NoteReset(std::uint32_t id);

  Http2Session& session_;
  std::vector<std::unique_ptr<Http2Stream>> all_;
  std::vector<Http2Stream*> spare_;
  std::vector<Http2Stream*> open_;
  std::size_t min_spare_ = 0;     // minimum size of spare_ since the last TrimUnused
  std::size_t memory_bytes_ = 0;  // the sum of all counted_bytes
  std::uint32_t newest_ = 0;
  // The last gap in the ids, whose streams were never opened; both bounds are exclusive.
  std::uint32_t passed_after_ = 0;
  std::uint32_t passed_before_ = 0;
  std::vector<std::uint32_t> resets_;  // streams that the server reset, oldest first
};

}  // namespace sluice
