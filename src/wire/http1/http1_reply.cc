#include "wire/http1/http1_reply.h"

#include <algorithm>

#include "base/ascii.h"

namespace sluice {
namespace {

constexpr std::size_t kMaxLengthDigits = 18;  // always fit 64 bits
constexpr int kSwitchingProtocols = 101;
constexpr int kNoContent = 204;
constexpr int kNotModified = 304;

constexpr ChunkBounds ChunkBoundsOf(const Http1ReplyBounds& bounds) {
  return {.max_body_bytes = bounds.max_body_bytes, .max_line_bytes = 4096};
}

// Removes the first line from `rest` and returns it without its CR LF. REQUIRES: `rest` contains a
// line end.
std::string_view TakeLine(std::string_view& rest) {
  const std::string_view line = TakeUntil('\n', rest);
  return line.substr(0, line.size() - (line.ends_with('\r') ? 1 : 0));
}

}  // namespace

Http1ReplyReader::Http1ReplyReader(Http1ReplyBounds bounds)
    : bounds_(bounds), chunks_(ChunkBoundsOf(bounds)) {}

Http1ReplyRead Http1ReplyReader::Read(std::string_view unread) {
  if (body_begin_ == 0) {
    const ReadState state = ReadHead(unread);
    if (state != ReadState::kWhole) return Finish(unread, state);
  }
  return Finish(unread, ReadBody(unread));
}

Http1ReplyRead Http1ReplyReader::ReadEnd(std::string_view unread) {
  const Http1ReplyRead read = Read(unread);
  const bool ends_here =
      read.state == ReadState::kMore && body_begin_ != 0 && body_ == Body::kUntilEnd;
  if (!ends_here) return read;
  end_ = unread.size();
  return Finish(unread, ReadState::kWhole);
}

Http1ReplyRead Http1ReplyReader::Finish(std::string_view unread, ReadState state) {
  if (state == ReadState::kFault) return {state, 0, fault_};
  if (state == ReadState::kMore) return {};
  const std::size_t consumed = end_;
  reply_.body = body_ == Body::kChunked ? std::string_view(chunked_body_)
                                        : unread.substr(body_begin_, end_ - body_begin_);
  reply_.keeps_alive = !closes_ && body_ != Body::kUntilEnd;
  head_ = looked_ = body_begin_ = end_ = 0;
  return {state, consumed, {}};
}

// --- the head -------------------------------------------------------------------------------

std::size_t Http1ReplyReader::FindHeadEnd(std::string_view unread) {
  while ((looked_ = unread.find('\n', looked_)) != std::string_view::npos) {
    const std::string_view next = unread.substr(looked_ + 1, 2);
    if (next == "\r\n") return looked_ + 3;
    if (next.starts_with('\n')) return looked_ + 2;
    if (next.empty() || next == "\r") return 0;
    ++looked_;
  }
  looked_ = unread.size();
  return 0;
}

ReadState Http1ReplyReader::ReadHead(std::string_view unread) {
  for (;;) {
    constexpr std::string_view kName = "HTTP/1.";
    const std::string_view begin = unread.substr(head_, kName.size());
    if (!kName.starts_with(begin)) return Refuse("is not HTTP/1"), ReadState::kFault;
    const std::size_t end = FindHeadEnd(unread);
    if ((end == 0 ? unread.size() : end) > bounds_.max_head_bytes) {
      return Refuse("has a head that is too long"), ReadState::kFault;
    }
    if (end == 0) return ReadState::kMore;
    if (!ReadLines(unread.substr(head_, end - head_))) return ReadState::kFault;
    head_ = looked_ = end;
    if (reply_.status >= 200) break;
  }
  body_begin_ = end_ = head_;
  return ValidateHead() ? ReadState::kWhole : ReadState::kFault;
}

bool Http1ReplyReader::ReadLines(std::string_view head) {
  length_.reset();
  is_chunked_ = closes_ = false;
  if (!ReadStatusLine(TakeLine(head))) return false;
  for (std::string_view line = TakeLine(head); !line.empty(); line = TakeLine(head)) {
    if (!ReadField(line)) return false;
  }
  return reply_.status != kSwitchingProtocols || Refuse("asks for another protocol");
}

bool Http1ReplyReader::ReadStatusLine(std::string_view line) {
  constexpr std::size_t kVersion = std::string_view("HTTP/1.").size();
  const std::string_view digits = line.substr(std::min(kVersion + 2, line.size()), 3);
  const bool is_good = line.size() >= kVersion + 5 && IsDigit(line[kVersion]) &&
                       line[kVersion + 1] == ' ' && IsDigits(digits) && digits[0] != '0' &&
                       (line.size() == kVersion + 5 || line[kVersion + 5] == ' ');
  if (!is_good) return Refuse("has a malformed status line");
  reply_.status = 100 * (digits[0] - '0') + 10 * (digits[1] - '0') + (digits[2] - '0');
  closes_ = line[kVersion] == '0';
  return true;
}

bool Http1ReplyReader::ReadField(std::string_view line) {
  const std::size_t colon = line.find(':');
  if (colon == 0 || colon == std::string_view::npos || IsBlank(line.front())) {
    return Refuse("has a malformed header");
  }
  const std::string_view name = line.substr(0, colon);
  // Switch on the size first, because most fields are none of these.
  switch (name.size()) {
    case 10:
      if (EqualsLower(name, "connection")) NoteConnection(line.substr(colon + 1));
      return true;
    case 14:
      return !EqualsLower(name, "content-length") || ReadLength(TrimBlanks(line.substr(colon + 1)));
    case 17:
      if (!EqualsLower(name, "transfer-encoding")) return true;
      is_chunked_ = EqualsLower(TrimBlanks(line.substr(colon + 1)), "chunked");
      return is_chunked_ || Refuse("has a Transfer-Encoding that is not chunked");
    default:
      return true;
  }
}

bool Http1ReplyReader::ReadLength(std::string_view value) {
  if (!IsDigits(value) || value.size() > kMaxLengthDigits) {
    return Refuse("has a Content-Length that is no length");
  }
  std::uint64_t length = 0;
  for (const char c : value) length = length * 10 + static_cast<std::uint64_t>(c - '0');
  if (length_ && *length_ != length) return Refuse("has two lengths");
  length_ = length;
  return true;
}

void Http1ReplyReader::NoteConnection(std::string_view value) {
  while (!value.empty()) {
    const std::string_view option = TrimBlanks(TakeUntil(',', value));
    if (EqualsLower(option, "close")) closes_ = true;
    if (EqualsLower(option, "keep-alive")) closes_ = false;
  }
}

bool Http1ReplyReader::ValidateHead() {
  if (is_chunked_ && length_) return Refuse("has both a length and chunks");
  if (length_.value_or(0) > bounds_.max_body_bytes) return Refuse("has a body that is too long");
  if (reply_.status == kNoContent || reply_.status == kNotModified) {
    body_ = Body::kNone;
  } else if (is_chunked_) {
    body_ = Body::kChunked;
    chunks_.Begin();
    chunked_body_.clear();
  } else {
    body_ = length_ ? Body::kLength : Body::kUntilEnd;
  }
  return true;
}

// --- the body -------------------------------------------------------------------------------

ReadState Http1ReplyReader::ReadBody(std::string_view unread) {
  switch (body_) {
    case Body::kNone:
      return ReadState::kWhole;
    case Body::kLength:
      if (unread.size() - body_begin_ < *length_) return ReadState::kMore;
      end_ = body_begin_ + static_cast<std::size_t>(*length_);
      return ReadState::kWhole;
    case Body::kChunked: {
      const ChunkRead read = chunks_.Read(unread.substr(end_), chunked_body_);
      end_ += read.consumed;
      if (read.state == ReadState::kFault) Refuse("has malformed chunks, or too many of them");
      return read.state;
    }
    case Body::kUntilEnd:
      if (unread.size() - body_begin_ <= bounds_.max_body_bytes) return ReadState::kMore;
      return Refuse("has a body that is too long"), ReadState::kFault;
  }
  return ReadState::kFault;
}

bool Http1ReplyReader::Refuse(std::string_view fault) {
  fault_ = fault;
  return false;
}

}  // namespace sluice
