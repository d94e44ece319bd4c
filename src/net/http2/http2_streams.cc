#include "net/http2/http2_streams.h"

#include <algorithm>
#include <cstddef>

namespace sluice {

Http2Stream& Http2Streams::Open(std::uint32_t id) {
  Pass(id);
  if (spare_.empty()) {
    all_.push_back(std::make_unique<Http2Stream>(session_));
    spare_.push_back(all_.back().get());
    Count(*all_.back());
  }
  Http2Stream& stream = *spare_.back();
  spare_.pop_back();
  if (spare_.size() < min_spare_) min_spare_ = spare_.size();
  stream.Open(id);
  open_.push_back(&stream);
  return stream;
}

void Http2Streams::Skip(std::uint32_t id, bool ended) {
  Pass(id);
  if (!ended) NoteReset(id);
}

void Http2Streams::Pass(std::uint32_t id) {
  if (id > newest_ + 2) {
    passed_after_ = newest_;
    passed_before_ = id;
  }
  newest_ = id;
}

Http2Stream* Http2Streams::Find(std::uint32_t id) const {
  // Usually the frame is for the newest stream.
  if (!open_.empty() && open_.back()->id() == id) return open_.back();
  const auto found = std::ranges::lower_bound(open_, id, {}, &Http2Stream::id);
  return found != open_.end() && (*found)->id() == id ? *found : nullptr;
}

Http2Streams::Past Http2Streams::PastOf(std::uint32_t id) const {
  if (id > newest_) return Past::kNone;
  if (id > passed_after_ && id < passed_before_) return Past::kPassed;
  return std::ranges::find(resets_, id) != resets_.end() ? Past::kReset : Past::kEnded;
}

void Http2Streams::Close(const Http2Stream& stream) {
  open_.erase(std::ranges::lower_bound(open_, stream.id(), {}, &Http2Stream::id));
  if (!stream.at.ended) NoteReset(stream.id());
}

void Http2Streams::NoteReset(std::uint32_t id) {
  if (resets_.size() == kResetsKept) resets_.erase(resets_.begin());
  resets_.push_back(id);
}

void Http2Streams::NoteEnd(std::uint32_t id) { std::erase(resets_, id); }

void Http2Streams::Free(std::size_t count) {
  if (count == 0) return;
  // spare_ is a stack, so the streams at its bottom have been unused for longest.
  const auto end = spare_.begin() + static_cast<std::ptrdiff_t>(count);
  std::sort(spare_.begin(), end);
  std::erase_if(all_, [&](const auto& each) {
    const bool is_freed = std::binary_search(spare_.begin(), end, each.get());
    if (is_freed) memory_bytes_ -= each->counted_bytes;
    return is_freed;
  });
  spare_.erase(spare_.begin(), end);
  min_spare_ = std::min(min_spare_, spare_.size());
  for (auto* list : {&spare_, &open_}) list->shrink_to_fit();
  all_.shrink_to_fit();
}

}  // namespace sluice
