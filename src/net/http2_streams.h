// Http2Streams: the streams of one connection, by their numbers.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "net/http2_stream.h"

namespace sluice {

// Streams that are open, those that wait to be used again, and what has become of others.
//
// Thread safety: none. Ownership: streams are its own, and stay where they are.
//
// Invariants
//   (1) Numbers of streams that were opened only grow.
//   (2) What a client may still send on a stream that was reset here is remembered of the last few
//       hundred of them.
//   (3) Streams that wait to be used again are counted, and freed if a peer needs fewer at a time.
class Http2Streams {
 public:
  // What a number stands for that no open stream has.
  enum class Past : std::uint8_t {
    kNone,    // nothing so far
    kPassed,  // a stream that was passed over by a later one
    kReset,   // one that was reset while the client may not have ended it
    kEnded,   // one that the client has ended or reset
  };

  explicit Http2Streams(Http2Session& session) : session_(session) {}

  // REQUIRES: above newest().
  Http2Stream& Open(std::uint32_t id);
  // Takes note of one that is not opened, above newest(). `ended`: the client has ended it.
  void Skip(std::uint32_t id, bool ended);
  // An open one, or nothing.
  [[nodiscard]] Http2Stream* Find(std::uint32_t id) const;
  [[nodiscard]] Past PastOf(std::uint32_t id) const;

  // Takes it out of those that are open. It stays as it is until it is used again.
  void Close(const Http2Stream& stream);
  // Says of one that is not open that the client has ended it now.
  void NoteEnd(std::uint32_t id);
  // Makes one that is not open ready to be another.
  void Recycle(Http2Stream& stream) {
    Count(stream);
    spare_.push_back(&stream);
  }

  // By their numbers.
  [[nodiscard]] std::span<Http2Stream* const> open() const { return open_; }
  // The highest number there was.
  [[nodiscard]] std::uint32_t newest() const { return newest_; }

  // Frees the streams that are not in use.
  void Trim() { Free(spare_.size()); }
  // Frees those that were not in use at any time since the last call.
  void TrimUnused() {
    Free(least_spare_);
    least_spare_ = spare_.size();
  }
  // Returns the memory of all streams, as it was when each was last recycled.
  [[nodiscard]] std::size_t memory_bytes() const { return memory_bytes_; }

 private:
  static constexpr std::size_t kResetsKept = 256;

  void Pass(std::uint32_t id);
  void Count(Http2Stream& stream) {
    const std::size_t bytes = stream.memory_bytes();
    memory_bytes_ += bytes - std::exchange(stream.counted_bytes, bytes);
  }
  // Frees so many of those that are not in use, the longest unused first.
  void Free(std::size_t count);
  void NoteReset(std::uint32_t id);

  Http2Session& session_;
  std::vector<std::unique_ptr<Http2Stream>> all_;
  std::vector<Http2Stream*> spare_;
  std::vector<Http2Stream*> open_;
  std::size_t least_spare_ = 0;   // the fewest in spare_ since the last TrimUnused
  std::size_t memory_bytes_ = 0;  // the sum of all counted_bytes
  std::uint32_t newest_ = 0;
  // The last streams that were passed over: those after the one and before the other.
  std::uint32_t passed_after_ = 0;
  std::uint32_t passed_before_ = 0;
  std::vector<std::uint32_t> resets_;  // the oldest first
};

}  // namespace sluice
