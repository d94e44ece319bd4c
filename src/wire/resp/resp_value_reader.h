// RespValueReader: reads the replies of RESP2 and RESP3 servers.
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
  kNull,  // in RESP2 also a bulk string or an array of size -1
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

// One value. The elements of an array, map, set, push or attribute follow it, each with its own
// elements, up to index `end`. Keys and values of a map alternate.
struct RespNode {
  RespType type = RespType::kNull;
  // The index after the last node of this value.
  std::uint32_t end = 0;
  // kInteger: the value. kBoolean: 0 or 1. Aggregates: the number of elements, or of pairs.
  std::int64_t integer = 0;
  // kDouble: the value.
  double number = 0;
  // The text of types that have one: without its format ("txt:") for kVerbatim, as sent for kDouble
  // and kBigNumber.
  std::string_view text = "";
};

struct RespValueBounds {
  std::size_t max_depth = 16;                      // nesting depth of values
  std::size_t max_nodes = 65536;                   // per reply; REQUIRES: less than 2^31
  std::size_t max_bytes = std::size_t{16} << 20U;  // per reply, as sent
};

// The result of reading the unread bytes.
struct RespValueRead {
  ReadState state = ReadState::kMore;
  // kWhole: the bytes of the reply.
  std::size_t consumed = 0;
  // kMore: the minimum number of bytes that are missing.
  std::size_t missing = 0;
  // kWhole: the reply's attributes, if any, then its one value. A kPush can arrive at any time and
  // is not the reply to a command.
  std::span<const RespNode> nodes;
  // kFault: a description of the error, for a log.
  std::string_view fault;
};

// Reads replies from the bytes of one connection. Supports all RESP3 types except streamed ones,
// which no server sends.
//
// Thread safety: none. Owns nothing but its progress. The nodes view the bytes they were read from,
// and the span of them is valid until the next Read.
//
// Invariants:
//  1. The result does not depend on how the bytes are split into calls.
//  2. Time is linear in the bytes, plus a small constant per call.
//  3. Depth, nodes and bytes stay within the bounds, and memory grows with the bytes that have
//     arrived, not with announced sizes.
//  4. An attribute does not count as an element of its parent; a push is never nested.
//  5. Nothing is allocated once the vectors have grown to the largest reply.
class RespValueReader {
 public:
  explicit RespValueReader(RespValueBounds bounds) : bounds_(bounds) {}

  // Reads the first reply in the unread bytes. REQUIRES: after kMore the unread bytes begin with
  // the same bytes (they may have moved in memory); after kFault it is not called again.
  RespValueRead Read(std::string_view unread);

 private:
  struct Place {
    std::size_t begin = 0;
    std::size_t size = 0;
  };
  // An aggregate with missing elements.
  struct Open {
    std::size_t node = 0;
    std::size_t left = 0;
  };

  void Start();
  // Each reads one value, or the header of an aggregate.
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
  bool is_finished_ = false;  // the nodes belong to the last reply
  std::size_t begin_ = 0;     // offset of the next node in the reply
  std::size_t looked_ = 0;    // no line end was found before this offset
  std::size_t need_ = 0;      // minimum number of bytes of the reply
  std::string_view fault_;
  std::vector<RespNode> nodes_;
  std::vector<Place> texts_;  // the texts of nodes_
  std::vector<Open> open_;
};

}  // namespace sluice
