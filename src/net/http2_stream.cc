#include "net/http2_stream.h"

#include <chrono>
#include <utility>

#include "net/http2_session.h"
#include "net/kept_text.h"

namespace sluice {

void Http2Stream::Open(std::int32_t id) {
  id_ = id;
  bytes_.clear();
  places_.clear();
  headers_.clear();
  body_.clear();
  request = {};
  reply.Clear();
  taken = 0;
  streams = false;
  complete = false;
  ready = false;
  served = false;
  submitted = false;
  finished = false;
  closed = false;
  sent = 0;
}

void Http2Stream::AddField(std::string_view name, std::string_view value) {
  Place place;
  place.name = static_cast<std::uint32_t>(bytes_.size());
  bytes_.append(name);
  place.value = static_cast<std::uint32_t>(bytes_.size());
  bytes_.append(value);
  place.end = static_cast<std::uint32_t>(bytes_.size());
  places_.push_back(place);
}

void Http2Stream::CompleteHead(const Peer& peer) {
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
  request.body = body_;
  request.is_whole = complete;
  return gone;
}

std::size_t Http2Stream::LetGo() {
  const std::size_t held = body_.size();
  for (std::string* text : {&bytes_, &body_, &reply.body}) Empty(*text);
  return held;
}

Nanos Http2Stream::Allowed(const Deadlines& deadlines) const {
  if (!finished) return deadlines.body;
  const auto seconds = static_cast<std::int64_t>(reply.body.size()) / kLeastRate;
  return deadlines.write + std::chrono::seconds(seconds);
}

void Http2Stream::Finish() { session_.Finished(*this); }

void Http2Stream::Send() { session_.Send(*this); }

}  // namespace sluice
