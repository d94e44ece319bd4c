#include "net/http2/http2_stream.h"

#include <algorithm>
#include <utility>

#include "net/http2/http2_session.h"
#include "net/loop/kept_text.h"

namespace sluice {

void Http2Stream::Open(std::uint32_t id) {
  id_ = id;
  bytes_.clear();
  places_.clear();
  headers_.clear();
  body_.clear();
  request = {};
  reply.Clear();
  taken = 0;
  parked_bytes = 0;
  at = {};
}

void Http2Stream::AddField(std::string_view name, std::string_view value) {
  const auto begin = static_cast<std::uint32_t>(bytes_.size());
  const auto middle = begin + static_cast<std::uint32_t>(name.size());
  const auto end = middle + static_cast<std::uint32_t>(value.size());
  bytes_.append(name).append(value);
  places_.push_back({begin, middle, end});
}

void Http2Stream::CompleteHead(const Peer& peer) {
  request.version = HttpRequest::Version::kHttp2;
  request.peer = &peer;
  for (const Place& place : places_) {
    const std::string_view name = Cut(place.name, place.value);
    const std::string_view value = Cut(place.value, place.end);
    if (!name.starts_with(':')) {
      headers_.push_back({name, value});
    } else if (name == ":method") {
      request.method = value;
    } else if (name == ":path") {
      request.target = value;
    } else if (name == ":authority") {
      request.authority = value;
    }
  }
  request.headers = headers_;
  if (request.authority.empty()) request.authority = request.Find("host");
}

std::size_t Http2Stream::ShowBody() {
  const std::size_t gone = std::exchange(taken, 0);
  body_.erase(0, gone);
  if (body_.capacity() > std::max(kTextKept, 4 * body_.size())) body_.shrink_to_fit();
  request.body = body_;
  request.is_whole = at.complete;
  return gone;
}

std::size_t Http2Stream::ReleaseMemory() {
  const std::size_t held = body_.size();
  for (std::string* text : {&bytes_, &body_, &reply.body}) Empty(*text);
  return held;
}

Nanos Http2Stream::Allowed(const Deadlines& deadlines) const {
  return at.finished || at.streams ? deadlines.write : deadlines.body;
}

void Http2Stream::Finish() { session_.Finished(*this); }

void Http2Stream::Send() { session_.Send(*this); }

}  // namespace sluice
