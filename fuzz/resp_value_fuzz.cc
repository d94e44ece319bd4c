// Fuzzes the reader of RESP replies: the result does not depend on how the bytes are split, and the
// nesting of values is consistent.
//
// The first byte chooses the size of the parts; the rest is what a server sends.
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "fuzz/must.h"
#include "wire/resp/resp_value_reader.h"

namespace sluice::fuzz {
namespace {

constexpr RespValueBounds kBounds{.max_depth = 8, .max_nodes = 256, .max_bytes = 2048};

bool HoldsPairs(RespType type) { return type == RespType::kMap || type == RespType::kAttribute; }

bool HoldsOthers(RespType type) {
  return HoldsPairs(type) || type == RespType::kArray || type == RespType::kSet ||
         type == RespType::kPush;
}

// Checks the value at `index` with all its elements, and the attributes before it. Returns the
// index after it.
std::size_t MustBeValue(std::span<const RespNode> nodes, std::size_t index, std::size_t depth) {
  Must(index < nodes.size(), "what is announced is there");
  const RespNode& node = nodes[index];
  Must(depth == 0 || node.type != RespType::kPush, "a push stands in nothing");
  std::size_t at = index + 1;
  if (HoldsOthers(node.type)) {
    Must(depth < kBounds.max_depth || node.integer == 0, "depth is bounded");
    const std::int64_t elements = node.integer * (HoldsPairs(node.type) ? 2 : 1);
    for (std::int64_t i = 0; i < elements; ++i) at = MustBeValue(nodes, at, depth + 1);
  }
  Must(node.end == at, "a value ends where what it holds does");
  return node.type == RespType::kAttribute ? MustBeValue(nodes, at, depth) : at;
}

std::string Shown(std::span<const RespNode> nodes) {
  std::string shown;
  for (const RespNode& node : nodes) {
    shown += static_cast<char>('a' + static_cast<int>(node.type));
    shown += std::to_string(node.integer) + "," + std::to_string(node.end) + ",";
    shown.append(node.text).append(";");
  }
  return shown;
}

struct Session {
  std::vector<std::string> replies;
  bool is_faulty = false;
  std::size_t left = 0;

  friend bool operator==(const Session&, const Session&) = default;
};

// Reads all complete replies and removes them from the unread bytes. Returns false after an error.
bool ReadAll(RespValueReader& reader, std::vector<char>& unread, Session& session) {
  for (;;) {
    const RespValueRead read = reader.Read({unread.data(), unread.size()});
    if (read.state == ReadState::kFault) {
      Must(!read.fault.empty(), "a fault says what it is");
      session.is_faulty = true;
      return false;
    }
    if (read.state == ReadState::kMore) {
      Must(read.missing > 0 && unread.size() + read.missing <= kBounds.max_bytes,
           "what is missing is within the bounds");
      // Moved to a new allocation of the exact size, so that sanitizers detect views of the old
      // one.
      unread = std::vector<char>(unread);
      return true;
    }
    Must(read.consumed > 0 && read.consumed <= unread.size(), "what is consumed is there");
    Must(read.consumed <= kBounds.max_bytes && read.nodes.size() <= kBounds.max_nodes,
         "a reply is within its bounds");
    Must(MustBeValue(read.nodes, 0, 0) == read.nodes.size(), "a reply is one value");
    session.replies.push_back(Shown(read.nodes));
    unread.erase(unread.begin(), unread.begin() + static_cast<std::ptrdiff_t>(read.consumed));
  }
}

Session Feed(std::string_view bytes, std::size_t part) {
  Session session;
  RespValueReader reader(kBounds);
  std::vector<char> unread;
  while (!bytes.empty()) {
    const std::string_view next = bytes.substr(0, part);
    bytes.remove_prefix(next.size());
    unread.insert(unread.end(), next.begin(), next.end());
    if (!ReadAll(reader, unread, session)) return session;
  }
  session.left = unread.size();
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
