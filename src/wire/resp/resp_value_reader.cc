#include "wire/resp/resp_value_reader.h"

#include <algorithm>
#include <charconv>
#include <limits>
#include <system_error>

#include "wire/resp/resp_number.h"

namespace sluice {
namespace {

constexpr std::size_t kLineEndBytes = 2;
constexpr std::size_t kFormatBytes = 4;  // "txt:"

bool IsHolderOfPairs(RespType type) {
  return type == RespType::kMap || type == RespType::kAttribute;
}

// Accepts an integer of any length, such as "-12".
bool IsBigNumber(std::string_view text) {
  if (text.starts_with('-') || text.starts_with('+')) text.remove_prefix(1);
  return IsDigits(text);
}

bool ReadDouble(std::string_view text, double& value) {
  using Limits = std::numeric_limits<double>;
  const bool is_negative = text.starts_with('-');
  if (is_negative || text.starts_with('+')) text.remove_prefix(1);
  if (text == "inf") {
    value = Limits::infinity();
  } else if (text == "nan") {
    value = Limits::quiet_NaN();
  } else {
    if (text.empty() || !IsDigit(text.front())) return false;
    const char* end = text.data() + text.size();
    const auto [stop, error] = std::from_chars(text.data(), end, value);
    if (error != std::errc() || stop != end) return false;
  }
  if (is_negative) value = -value;
  return true;
}

}  // namespace

RespValueRead RespValueReader::Read(std::string_view unread) {
  if (is_finished_) Start();
  for (;;) {
    const ReadState state = begin_ < unread.size() ? ReadNode(unread) : Need(begin_ + 1);
    if (state == ReadState::kFault) return {state, 0, 0, {}, fault_};
    if (state == ReadState::kMore) {
      return {state, 0, std::max(need_, unread.size() + 1) - unread.size(), {}, {}};
    }
    if (CloseFinished()) return Finish(unread);
  }
}

void RespValueReader::Start() {
  is_finished_ = false;
  begin_ = 0;
  looked_ = 0;
  nodes_.clear();
  texts_.clear();
}

ReadState RespValueReader::ReadNode(std::string_view unread) {
  switch (unread[begin_]) {
    case '+':
      return ReadLine(unread, RespType::kSimple);
    case '-':
      return ReadLine(unread, RespType::kError);
    case ':':
      return ReadInteger(unread);
    case '$':
      return ReadBulk(unread, RespType::kBulk);
    case '*':
      return ReadHolder(unread, RespType::kArray);
    case '_':
      return ReadLine(unread, RespType::kNull);
    case ',':
      return ReadLine(unread, RespType::kDouble);
    case '#':
      return ReadLine(unread, RespType::kBoolean);
    case '(':
      return ReadLine(unread, RespType::kBigNumber);
    case '=':
      return ReadBulk(unread, RespType::kVerbatim);
    case '!':
      return ReadBulk(unread, RespType::kBlobError);
    case '%':
      return ReadHolder(unread, RespType::kMap);
    case '~':
      return ReadHolder(unread, RespType::kSet);
    case '|':
      return ReadHolder(unread, RespType::kAttribute);
    case '>':
      return open_.empty() ? ReadHolder(unread, RespType::kPush) : Fault("a push inside a reply");
    default:
      return Fault("an unknown type of reply");
  }
}

ReadState RespValueReader::ReadInteger(std::string_view unread) {
  std::size_t first = begin_ + 1;
  // The protocol allows a plus, but no server sends one.
  if (first + 1 < unread.size() && unread[first] == '+' && IsDigit(unread[first + 1])) ++first;
  if (first + 1 == unread.size() && unread[first] == '+') return Need(unread.size() + 1);
  const RespNumber number = ReadRespNumber(unread, first);
  if (number.state == ReadState::kMore) return Need(unread.size() + 1);
  if (number.state == ReadState::kFault) return Fault("a malformed integer");
  return Add({.type = RespType::kInteger, .integer = number.value}, {}, number.end);
}

ReadState RespValueReader::ReadBulk(std::string_view unread, RespType type) {
  const RespNumber size = ReadRespNumber(unread, begin_ + 1);
  if (size.state == ReadState::kMore) return Need(unread.size() + 1);
  if (size.state == ReadState::kFault) return Fault("a malformed bulk size");
  if (size.value == -1 && type == RespType::kBulk) return Add({}, {}, size.end);
  const bool is_verbatim = type == RespType::kVerbatim;
  const auto min = static_cast<std::int64_t>(is_verbatim ? kFormatBytes : 0);
  if (size.value < min) return Fault("a bulk size below the least");
  const auto bytes = static_cast<std::size_t>(size.value);
  if (bytes > bounds_.max_bytes) return Fault("a reply of too many bytes");
  const std::size_t end = size.end + bytes;
  if (unread.size() < end + kLineEndBytes) return Need(end + kLineEndBytes);
  if (unread.substr(end, kLineEndBytes) != "\r\n") return Fault("a bulk without CR LF");
  Place text{size.end, bytes};
  if (is_verbatim) {
    if (unread[size.end + kFormatBytes - 1] != ':') return Fault("a verbatim text without format");
    text = {size.end + kFormatBytes, bytes - kFormatBytes};
  }
  return Add({.type = type}, text, end + kLineEndBytes);
}

ReadState RespValueReader::ReadLine(std::string_view unread, RespType type) {
  const std::size_t first = begin_ + 1;
  const std::size_t end = unread.find('\r', std::max(first, looked_));
  if (end == std::string_view::npos || end + 1 == unread.size()) {
    looked_ = std::min(end, unread.size());
    return Need(unread.size() + 1);
  }
  const std::string_view line = unread.substr(first, end - first);
  if (unread[end + 1] != '\n' || line.find('\n') != std::string_view::npos) {
    return Fault("a line without CR LF");
  }
  RespNode node{.type = type};
  if (!TakeLine(type, line, node)) return ReadState::kFault;
  return Add(node, {first, line.size()}, end + kLineEndBytes);
}

bool RespValueReader::TakeLine(RespType type, std::string_view line, RespNode& node) {
  switch (type) {
    case RespType::kNull:
      if (!line.empty()) Fault("a null with a text");
      break;
    case RespType::kBoolean:
      if (line != "t" && line != "f") Fault("a malformed boolean");
      node.integer = line == "t" ? 1 : 0;
      break;
    case RespType::kDouble:
      if (!ReadDouble(line, node.number)) Fault("a malformed double");
      break;
    case RespType::kBigNumber:
      if (!IsBigNumber(line)) Fault("a malformed big number");
      break;
    default:
      break;
  }
  return fault_.empty();
}

ReadState RespValueReader::ReadHolder(std::string_view unread, RespType type) {
  const RespNumber count = ReadRespNumber(unread, begin_ + 1);
  if (count.state == ReadState::kMore) return Need(unread.size() + 1);
  if (count.state == ReadState::kFault) return Fault("a malformed count");
  if (count.value == -1 && type == RespType::kArray) return Add({}, {}, count.end);
  // A push must have a first element, which names its kind.
  if (count.value < (type == RespType::kPush ? 1 : 0)) return Fault("a count below the least");
  // Each element takes at least one node, so this bounds later allocations.
  const std::uint64_t each = IsHolderOfPairs(type) ? 2 : 1;
  if (static_cast<std::uint64_t>(count.value) > bounds_.max_nodes / each) {
    return Fault("a reply of too many nodes");
  }
  if (count.value > 0) {
    if (open_.size() == bounds_.max_depth) return Fault("a reply of too much depth");
    open_.push_back({nodes_.size(), static_cast<std::size_t>(count.value) * each});
  }
  return Add({.type = type, .integer = count.value}, {}, count.end);
}

ReadState RespValueReader::Add(const RespNode& node, Place text, std::size_t end) {
  if (end > bounds_.max_bytes) return Fault("a reply of too many bytes");
  if (nodes_.size() == bounds_.max_nodes) return Fault("a reply of too many nodes");
  nodes_.push_back(node);
  nodes_.back().end = static_cast<std::uint32_t>(nodes_.size());
  texts_.push_back(text);
  begin_ = end;
  return ReadState::kWhole;
}

// Closes every aggregate that the last node completes. Returns true if the reply is complete.
bool RespValueReader::CloseFinished() {
  if (!open_.empty() && open_.back().node + 1 == nodes_.size()) return false;  // just opened
  if (nodes_.back().type == RespType::kAttribute) return false;  // empty; its value follows
  while (!open_.empty()) {
    if (--open_.back().left > 0) return false;
    RespNode& holder = nodes_[open_.back().node];
    open_.pop_back();
    holder.end = static_cast<std::uint32_t>(nodes_.size());
    if (holder.type == RespType::kAttribute) return false;
  }
  return true;
}

RespValueRead RespValueReader::Finish(std::string_view unread) {
  for (std::size_t i = 0; i < nodes_.size(); ++i) {
    nodes_[i].text = unread.substr(texts_[i].begin, texts_[i].size);
  }
  is_finished_ = true;
  return {ReadState::kWhole, begin_, 0, nodes_, {}};
}

ReadState RespValueReader::Need(std::size_t bytes) {
  if (bytes > bounds_.max_bytes) return Fault("a reply of too many bytes");
  need_ = bytes;
  return ReadState::kMore;
}

ReadState RespValueReader::Fault(std::string_view text) {
  fault_ = text;
  return ReadState::kFault;
}

}  // namespace sluice
