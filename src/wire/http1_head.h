// Http1HeadReader: the request line and header fields of HTTP/1, strictly.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "core/header_list.h"
#include "wire/read_state.h"

namespace sluice {

enum class Http1Version : std::uint8_t { k10, k11 };

// What a head says. Views the bytes it was read from.
struct Http1Head {
  std::string_view method;
  // The path and query, also of a target in absolute form, whose path may be empty; or "*".
  std::string_view target;
  // The authority of a target in absolute form, else the Host field. May be empty.
  std::string_view host;
  Http1Version version = Http1Version::k11;
  std::optional<std::uint64_t> content_length;
  bool is_chunked = false;
  // Whether the connection stays open after the reply, as far as the client has a say.
  bool keeps_alive = true;
  bool expects_continue = false;
  std::vector<Header> fields;  // all of them, in order
};

// Why a request is refused, as a status and a sentence that holds nothing of the request.
struct HttpFault {
  int status = 400;
  std::string_view text = "";
};

struct Http1Bounds {
  std::size_t head_bytes_most = 16384;  // with the empty line at its end
  std::size_t target_bytes_most = 8192;
  std::size_t fields_most = 100;
  std::uint64_t content_bytes_most = std::uint64_t{1} << 20U;
};

// What became of the unread bytes.
struct Http1HeadRead {
  ReadState state = ReadState::kMore;
  std::size_t consumed = 0;  // kWhole: the bytes of the head, with its empty line
  HttpFault fault;           // kFault
};

// Reads heads of requests from the bytes of one connection, in one pass where a head arrives
// whole. It leaves no room to see a request in another way than those before or behind do:
// whatever two readers might read differently is refused (RFC 9112, section 11.2).
//
// Thread safety: none. Owns its progress and the list of fields.
//
// Invariants:
//  1. What becomes of a head that has arrived does not depend on how it was cut into parts.
//  2. Time is linear in the bytes, plus a small constant for every call.
//  3. How long the body is has one answer. Refused are: Content-Length together with
//     Transfer-Encoding, either of them twice, a length that is not digits alone, an encoding other
//     than chunked, any encoding in HTTP/1.0.
//  4. Lines end in CR LF and nothing else does: a bare CR or LF, NUL, other control characters and
//     folded lines are refused.
//  5. A name of a field is a token and the colon stands right after it.
//  6. Who is asked has one answer: one Host, of characters that a host has (none is needed in
//     HTTP/1.0), and the authority of a target in absolute form before it.
//  7. Versions are 1.0 and 1.1; any other is 505, none at all is malformed.
//  8. Once it has seen the most fields it allocates nothing.
class Http1HeadReader {
 public:
  explicit Http1HeadReader(Http1Bounds bounds) : bounds_(bounds) {}

  // Reads the head at the front of the unread bytes. REQUIRES: after kMore they begin with the
  // same bytes, wherever they lie now; after kFault it is not called again.
  Http1HeadRead Read(std::string_view unread);

  // The last head that was read whole, as long as its bytes are where they were.
  [[nodiscard]] const Http1Head& head() const { return head_; }

 private:
  bool HasEnd(std::string_view unread);

  Http1Bounds bounds_;
  bool is_cut_ = false;     // the head did not arrive whole
  std::size_t looked_ = 0;  // no empty line ends before this
  Http1Head head_;
};

}  // namespace sluice
