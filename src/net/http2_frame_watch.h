// Http2FrameWatch: which frames a client may send, stream by stream.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace sluice {

// Follows the bytes of a client from the first one of its preface on. nghttp2 forgets streams that
// are closed and passes over what comes on them. RFC 9113 (5.1 and 5.1.1) asks for errors there,
// but not where a frame has crossed a reset of ours: so this remembers what the client itself has
// not ended yet.
//
// Thread safety: none. Ownership: a value, of four bytes for each stream that has not been ended.
//
// Invariants
//   (1) HEADERS or DATA on a stream that the client has ended or reset are an error.
//   (2) HEADERS on a stream that it passed over are one: identifiers only grow.
//   (3) Neither is an error on a stream that it has not ended, whoever else has reset it.
//   (4) How the bytes are cut makes no difference.
class Http2FrameWatch {
 public:
  // What breaks the protocol as a whole.
  struct Fault {
    std::size_t offset = 0;   // how many of the bytes come before it
    std::uint32_t error = 0;  // of HTTP/2
  };

  // The first fault there is. After one nothing more may be taken.
  std::optional<Fault> Take(std::string_view bytes);

  // Whether the preface, a frame or the fields of a request are there in part.
  [[nodiscard]] bool is_within() const {
    return left_ > 0 || header_size_ > 0 || within_fields_ || !has_frame_;
  }
  // Whether it is the preface or fields of which a part is there: nothing else can come before the
  // rest of them.
  [[nodiscard]] bool is_within_head() const { return within_fields_ || !has_frame_; }

 private:
  static constexpr std::size_t kHeaderBytes = 9;
  static constexpr std::size_t kPrefaceBytes = 24;

  // Looks at a frame whose header is there.
  std::optional<std::uint32_t> Begin();
  void BeginRequest(std::int32_t stream);
  // The error that it is to go on with a stream, if it is one.
  [[nodiscard]] std::optional<std::uint32_t> Judge(std::int32_t stream, std::uint32_t type) const;
  void End(std::int32_t stream);

  std::array<std::uint8_t, kHeaderBytes> header_{};
  std::size_t header_size_ = 0;       // of it, so far
  std::size_t left_ = kPrefaceBytes;  // to be passed over before the next header
  bool has_frame_ = false;
  bool within_fields_ = false;
  std::int32_t newest_ = -1;  // stream
  // The last streams that were passed over: those after the one and before the other.
  std::int32_t passed_after_ = 0;
  std::int32_t passed_before_ = 0;
  std::vector<std::int32_t> unended_;  // in order
};

}  // namespace sluice
