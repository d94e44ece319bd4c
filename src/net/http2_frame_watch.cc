#include "net/http2_frame_watch.h"

#include <nghttp2/nghttp2.h>

#include <algorithm>

namespace sluice {
namespace {

// The oldest of more streams than this count as ended. A client that keeps to the bound on streams
// has far fewer; one that has not heard of the bound yet may have more.
constexpr std::size_t kUnendedMost = 1024;

}  // namespace

std::optional<Http2FrameWatch::Fault> Http2FrameWatch::Take(std::string_view bytes) {
  std::size_t at = 0;
  for (;;) {
    const std::size_t passed = std::min(left_, bytes.size() - at);
    left_ -= passed;
    at += passed;
    const std::size_t begin = at;
    const std::size_t copied = std::min(kHeaderBytes - header_size_, bytes.size() - at);
    std::copy_n(bytes.begin() + static_cast<std::ptrdiff_t>(at), copied,
                header_.begin() + static_cast<std::ptrdiff_t>(header_size_));
    header_size_ += copied;
    at += copied;
    if (header_size_ < kHeaderBytes) return std::nullopt;
    header_size_ = 0;
    if (const std::optional<std::uint32_t> error = Begin()) return Fault{begin, *error};
  }
}

std::optional<std::uint32_t> Http2FrameWatch::Begin() {
  const auto byte = [&](std::size_t i) { return std::uint32_t{header_[i]}; };
  left_ = byte(0) << 16U | byte(1) << 8U | byte(2);
  has_frame_ = true;
  const std::uint32_t type = byte(3);
  const bool ends = (byte(4) & NGHTTP2_FLAG_END_STREAM) != 0;
  const auto stream = static_cast<std::int32_t>((byte(5) & 0x7FU) << 24U | byte(6) << 16U |
                                                byte(7) << 8U | byte(8));
  if (type == NGHTTP2_HEADERS || type == NGHTTP2_CONTINUATION) {
    within_fields_ = (byte(4) & NGHTTP2_FLAG_END_HEADERS) == 0;
  }
  // Streams that are not a client's, and those that have not begun, are nghttp2's to judge.
  if (stream % 2 == 0) return std::nullopt;
  if (type == NGHTTP2_HEADERS && stream > newest_) {
    BeginRequest(stream);
  } else if (type == NGHTTP2_HEADERS || (type == NGHTTP2_DATA && stream <= newest_)) {
    if (const std::optional<std::uint32_t> error = Judge(stream, type)) return error;
  }
  const bool carries = type == NGHTTP2_HEADERS || type == NGHTTP2_DATA;
  if (type == NGHTTP2_RST_STREAM || (carries && ends)) End(stream);
  return std::nullopt;
}

void Http2FrameWatch::BeginRequest(std::int32_t stream) {
  if (stream > newest_ + 2) {
    passed_after_ = newest_;
    passed_before_ = stream;
  }
  newest_ = stream;
  if (unended_.size() == kUnendedMost) unended_.erase(unended_.begin());
  unended_.push_back(stream);
}

std::optional<std::uint32_t> Http2FrameWatch::Judge(std::int32_t stream, std::uint32_t type) const {
  if (std::ranges::binary_search(unended_, stream)) return std::nullopt;
  const bool was_passed_over = stream > passed_after_ && stream < passed_before_;
  return type == NGHTTP2_HEADERS && was_passed_over ? NGHTTP2_PROTOCOL_ERROR
                                                    : NGHTTP2_STREAM_CLOSED;
}

void Http2FrameWatch::End(std::int32_t stream) {
  const auto found = std::ranges::lower_bound(unended_, stream);
  if (found != unended_.end() && *found == stream) unended_.erase(found);
}

}  // namespace sluice
