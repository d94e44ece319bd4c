#include "wire/http1/http1_head.h"

#include "wire/http1/http1_head_parser.h"

namespace sluice {

// Usually the whole head is here and is parsed at once. If it is not, parsing waits for its end, so
// that a head that arrives in many parts is parsed twice and not once per part.
Http1HeadRead Http1HeadReader::Read(std::string_view unread) {
  const std::string_view allowed = unread.substr(0, bounds_.max_head_bytes);
  const bool is_full = unread.size() >= bounds_.max_head_bytes;
  if (is_cut_ && !HasEnd(allowed) && !is_full) return {};
  Http1HeadParser parser(allowed, bounds_, head_);
  const ReadState state = parser.Parse();
  if (state == ReadState::kMore && !is_full) {
    is_cut_ = true;
    return {};
  }
  is_cut_ = false;
  looked_ = 0;
  if (state == ReadState::kWhole) return {state, parser.consumed(), {}};
  return {ReadState::kFault, 0, state == ReadState::kFault ? parser.fault() : parser.TooLong()};
}

// Returns whether the bytes contain an empty line. A line that ends in LF alone counts too, so that
// it is refused at once and the end of the head is not awaited.
bool Http1HeadReader::HasEnd(std::string_view unread) {
  while ((looked_ = unread.find('\n', looked_)) != std::string_view::npos) {
    const std::string_view next = unread.substr(looked_ + 1, 2);
    if (next.starts_with('\n') || next == "\r\n") return true;
    if (next.empty() || next == "\r") return false;
    ++looked_;
  }
  looked_ = unread.size();
  return false;
}

}  // namespace sluice
