#include "wire/http1/chunk_reader.h"

#include <algorithm>
#include <charconv>
#include <system_error>

#include "base/ascii.h"

namespace sluice {
namespace {

constexpr std::string_view kLineEnd = "\r\n";

bool IsBadInLine(char byte) { return IsControl(byte) && byte != '	'; }

}  // namespace

void ChunkReader::Begin() {
  next_ = Next::kSize;
  left_ = 0;
  trailer_bytes_ = 0;
  state_ = ReadState::kMore;
  is_too_large_ = false;
}

ChunkRead ChunkReader::Read(std::string_view unread, std::string& body) {
  consumed_ = 0;
  while (state_ == ReadState::kMore && Step(unread.substr(consumed_), body)) {
  }
  return {state_, consumed_, is_too_large_};
}

bool ChunkReader::Fault() {
  state_ = ReadState::kFault;
  return false;
}

bool ChunkReader::Step(std::string_view unread, std::string& body) {
  switch (next_) {
    case Next::kSize:
      return ReadSize(unread, body);
    case Next::kData: {
      const auto size = static_cast<std::size_t>(std::min<std::uint64_t>(left_, unread.size()));
      body.append(unread.substr(0, size));
      consumed_ += size;
      left_ -= size;
      if (left_ > 0) return false;
      next_ = Next::kDataEnd;
      return true;
    }
    case Next::kDataEnd:
      if (!unread.starts_with(kLineEnd)) {
        return kLineEnd.starts_with(unread) ? false : Fault();
      }
      consumed_ += kLineEnd.size();
      next_ = Next::kSize;
      return true;
    case Next::kTrailer:
      return ReadTrailer(unread);
    case Next::kNothing:
      break;
  }
  state_ = ReadState::kWhole;
  return false;
}

std::string_view ChunkReader::TakeLine(std::string_view unread, std::size_t max_bytes,
                                       bool& found) {
  const std::size_t end = unread.find('\n');
  found = end != std::string_view::npos;
  if ((found ? end : unread.size()) > max_bytes) {
    Fault();
    found = false;
  }
  if (!found) return {};
  if (end == 0 || unread[end - 1] != '\r') {
    Fault();
    found = false;
    return {};
  }
  const std::string_view line = unread.substr(0, end - 1);
  if (std::ranges::any_of(line, IsBadInLine)) {
    Fault();
    found = false;
    return {};
  }
  consumed_ += end + 1;
  return line;
}

bool ChunkReader::ReadSize(std::string_view unread, const std::string& body) {
  bool found = false;
  const std::string_view line = TakeLine(unread, bounds_.max_line_bytes, found);
  if (!found) return false;
  const std::string_view digits = line.substr(0, line.find(';'));
  const auto [end, error] =
      std::from_chars(digits.data(), digits.data() + digits.size(), left_, 16);
  if (digits.empty() || end != digits.data() + digits.size()) return Fault();
  if (error != std::errc() || left_ > bounds_.max_body_bytes - body.size()) {
    is_too_large_ = true;
    return Fault();
  }
  next_ = left_ == 0 ? Next::kTrailer : Next::kData;
  return true;
}

bool ChunkReader::ReadTrailer(std::string_view unread) {
  bool found = false;
  const std::size_t before = consumed_;
  const std::string_view line = TakeLine(unread, bounds_.max_trailer_bytes - trailer_bytes_, found);
  if (!found) return false;
  trailer_bytes_ = std::min(trailer_bytes_ + (consumed_ - before), bounds_.max_trailer_bytes);
  if (!line.empty()) return true;
  next_ = Next::kNothing;
  state_ = ReadState::kWhole;
  return false;
}

}  // namespace sluice
