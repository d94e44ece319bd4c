// RespValueReader: the replies that servers of RESP2 and RESP3 send.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "wire/read_state.h"

namespace sluice {

enum class RespType : std::uint8_t {
  kSimple,
  kError,
  kInteger,
  kBulk,
  kArray,
  kNull,  // of RESP2, too: a bulk or an array of the size -1
  kDouble,
  kBoolean,
  kBigNumber,
  kVerbatim,
  kMap,
  kSet,
  kAttribute,
  kPush,
  kBlobError,
};

// One value. What an array, map, set, push or attribute holds follows it, each with all that it
// holds in turn, up to `end`; keys and values of a map take turns.
struct RespNode {
  RespType type = RespType::kNull;
  // The index after the last node of this value.
  std::uint32_t end = 0;
  // kInteger: the value. kBoolean: 0 or 1. What holds others: how many elements, or pairs.
  std::int64_t integer = 0;
  // kDouble: the value.
  double number = 0;
  // What has a text: that text; of kVerbatim without its format ("txt:"), of kDouble and
  // kBigNumber as it was sent.
  std::string_view text = "";
};

struct RespValueBounds {
  std::size_t depth_most = 16;                      // of values inside one another
  std::size_t nodes_most = 65536;                   // of one reply; REQUIRES: less than 2^31
  std::size_t bytes_most = std::size_t{16} << 20U;  // of one reply, as sent
};

// What became of the unread bytes.
struct RespValueRead {
  ReadState state = ReadState::kMore;
  // kWhole: the bytes of the reply.
  std::size_t consumed = 0;
  // kMore: at least so many bytes are missing.
  std::size_t missing = 0;
  // kWhole: attributes, if it has any, then the one value. A kPush may come at any time and
  // answers nothing.
  std::span<const RespNode> nodes;
  // kFault: what was wrong, for a log.
  std::string_view fault;
};

// Reads replies from the bytes of one connection. All types of RESP3 but those that are streamed
// in chunks, which no server sends.
//
// Thread safety: none. Owns nothing but its progress. The nodes view the bytes they were read from,
// and the span of them is valid until the next Read.
//
// Invariants:
//  1. What is read does not depend on how the bytes were cut into parts.
//  2. Time is linear in the bytes, plus a small constant for every call.
//  3. Depth, nodes and bytes stay within the bounds, and memory grows with what has arrived, not
//     with what was announced.
//  4. An attribute counts as no element of what it stands in; a push stands in nothing.
//  5. Once it has seen the largest reply it allocates nothing.
class RespValueReader {
 public:
  explicit RespValueReader(RespValueBounds bounds) : bounds_(bounds) {}

  // Reads the first reply of the unread bytes. REQUIRES: after kMore they begin with the same
  // bytes, wherever they lie now; after kFault it is not called again.
  RespValueRead Read(std::string_view unread);

 private:
  struct Place {
    std::size_t begin = 0;
    std::size_t size = 0;
  };
  // Something whose elements are still to come.
  struct Open {
    std::size_t node = 0;
    std::size_t left = 0;
  };

  void Start();
  // Each reads one value, or the head of what holds others.
  ReadState ReadNode(std::string_view unread);
  ReadState ReadInteger(std::string_view unread);
  ReadState ReadBulk(std::string_view unread, RespType type);
  ReadState ReadLine(std::string_view unread, RespType type);
  ReadState ReadHolder(std::string_view unread, RespType type);

  bool TakeLine(RespType type, std::string_view line, RespNode& node);
  ReadState Add(const RespNode& node, Place text, std::size_t end);
  bool CloseFinished();
  RespValueRead Finish(std::string_view unread);
  ReadState Need(std::size_t bytes);
  ReadState Fault(std::string_view text);

  RespValueBounds bounds_;
  bool is_finished_ = false;  // the nodes are of the last reply
  std::size_t begin_ = 0;     // of the next node, from the start of the reply
  std::size_t looked_ = 0;    // no end of a line was found before this
  std::size_t need_ = 0;      // bytes of the reply, at least
  std::string_view fault_;
  std::vector<RespNode> nodes_;
  std::vector<Place> texts_;  // of the nodes
  std::vector<Open> open_;
};

}  // namespace sluice
