// Http1HeadReader: a strict reader of HTTP/1 request lines and header fields.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "base/header_list.h"
#include "wire/read_state.h"

namespace sluice {

enum class Http1Version : std::uint8_t { k10, k11 };

// A parsed head. Views the bytes it was read from.
struct Http1Head {
  std::string_view method;
  // The path and query, or "*". For a target in absolute form, the part after the authority; its
  // path may then be empty.
  std::string_view target;
  // The authority of a target in absolute form, otherwise the Host field. May be empty.
  std::string_view host;
  Http1Version version = Http1Version::k11;
  std::optional<std::uint64_t> content_length;
  bool is_chunked = false;
  // Whether the client allows the connection to stay open after the reply.
  bool keeps_alive = true;
  bool expects_continue = false;
  std::vector<Header> fields;  // all of them, in order
};

// The reason to refuse a request: a status and a message, which never contains text from the
// request.
struct HttpFault {
  int status = 400;
  std::string_view text = "";
};

struct Http1Bounds {
  std::size_t max_head_bytes = 16384;  // including the empty line at its end
  std::size_t max_target_bytes = 8192;
  std::size_t max_fields = 100;
  std::uint64_t max_content_bytes = std::uint64_t{1} << 20U;
};

// The result of reading the unread bytes.
struct Http1HeadRead {
  ReadState state = ReadState::kMore;
  std::size_t consumed = 0;  // kWhole: bytes of the head, including its empty line
  HttpFault fault;           // kFault
};

// Reads request heads from the bytes of one connection, in one pass if a head arrives whole. To
// rule out request smuggling, it refuses everything that a proxy in front or a server behind could
// read differently (RFC 9112, section 11.2).
//
// Thread safety: none. Owns its progress and the list of fields.
//
// Invariants:
//  1. The result for a head does not depend on how its bytes are split into calls.
//  2. Time is linear in the bytes, plus a small constant per call.
//  3. The length of the body is unambiguous. The reader refuses Content-Length together with
//     Transfer-Encoding, either of them twice, a length that is not digits alone, an encoding other
//     than chunked, and any encoding in HTTP/1.0.
//  4. Lines end in CR LF and nothing else does: a bare CR or LF, NUL, other control characters and
//     folded lines are refused.
//  5. The name of a field is a token, and the colon follows it immediately.
//  6. The host is unambiguous: there is exactly one Host field (HTTP/1.0 may omit it), it consists
//     of characters that are valid in a host, and the authority of a target in absolute form takes
//     precedence over it.
//  7. Versions are 1.0 and 1.1. Any other version is a 505; a missing one is malformed.
//  8. Nothing is allocated once `fields` has grown to the largest number of fields seen.
class Http1HeadReader {
 public:
  explicit Http1HeadReader(Http1Bounds bounds) : bounds_(bounds) {}

  // Reads the head at the front of the unread bytes. REQUIRES: after kMore the unread bytes begin
  // with the same bytes (they may have moved in memory); after kFault it is not called again.
  Http1HeadRead Read(std::string_view unread);

  // The last head that was read as kWhole. Valid while its bytes stay in place.
  [[nodiscard]] const Http1Head& head() const { return head_; }

 private:
  bool HasEnd(std::string_view unread);

  Http1Bounds bounds_;
  bool is_cut_ = false;     // the head did not arrive whole
  std::size_t looked_ = 0;  // no empty line ends before this
  Http1Head head_;
};

}  // namespace sluice
