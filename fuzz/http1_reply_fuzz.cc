// Fuzzes the reader of HTTP/1 replies: the result does not depend on how the bytes are split, and
// stays within the bounds.
//
// The first byte chooses the size of the parts; the rest is what a server sends.
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "fuzz/must.h"
#include "wire/http1/http1_reply.h"

namespace sluice::fuzz {
namespace {

constexpr Http1ReplyBounds kBounds{.max_head_bytes = 512, .max_body_bytes = 256};

struct Session {
  std::vector<std::string> replies;
  std::string fault;
  std::size_t left = 0;

  friend bool operator==(const Session&, const Session&) = default;
};

// Reads all complete replies and removes them from the unread bytes. Returns false after an error.
bool ReadAll(Http1ReplyReader& reader, std::vector<char>& unread, bool is_end, Session& session) {
  for (;;) {
    const std::string_view bytes(unread.data(), unread.size());
    const Http1ReplyRead read = is_end ? reader.ReadEnd(bytes) : reader.Read(bytes);
    if (read.state == ReadState::kFault) {
      Must(!read.fault.empty(), "a fault says what it is");
      session.fault = read.fault;
      return false;
    }
    if (read.state == ReadState::kMore) {
      // Moved to a new allocation of the exact size, so that sanitizers detect views of the old
      // one.
      unread = std::vector<char>(unread);
      return true;
    }
    const Http1Reply& reply = reader.reply();
    Must(read.consumed > 0 && read.consumed <= unread.size(), "what is consumed is there");
    Must(reply.status >= 200 && reply.status <= 999, "a reply has a status that is final");
    Must(reply.body.size() <= kBounds.max_body_bytes, "a body is within its bound");
    session.replies.push_back(std::to_string(reply.status) + (reply.keeps_alive ? "+" : "-") +
                              std::string(reply.body));
    unread.erase(unread.begin(), unread.begin() + static_cast<std::ptrdiff_t>(read.consumed));
  }
}

Session Feed(std::string_view bytes, std::size_t part) {
  Session session;
  Http1ReplyReader reader(kBounds);
  std::vector<char> unread;
  while (!bytes.empty()) {
    const std::string_view next = bytes.substr(0, part);
    bytes.remove_prefix(next.size());
    unread.insert(unread.end(), next.begin(), next.end());
    if (!ReadAll(reader, unread, false, session)) return session;
  }
  if (ReadAll(reader, unread, true, session)) session.left = unread.size();
  return session;
}

}  // namespace
}  // namespace sluice::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using sluice::fuzz::Feed;
  if (size < 2) return 0;
  const std::string bytes(data + 1, data + size);
  sluice::fuzz::Must(Feed(bytes, bytes.size()) == Feed(bytes, data[0] % 32 + 1U),
                     "what is read does not depend on the parts");
  return 0;
}
