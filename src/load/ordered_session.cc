#include "load/ordered_session.h"

namespace sluice {
namespace {

// The number of answered requests at which the list of requests is compacted.
constexpr std::size_t kMaxAnswered = 1024;

}  // namespace

void OrderedSession::Send(std::uint64_t key, Time intended) {
  request_->Append(key, output);
  sent_.push_back(intended);
}

bool OrderedSession::Answered(Answer answer, std::string_view cause) {
  if (in_flight() == 0) return Refuse("it answered what was not asked");
  const Time intended = sent_[answered_++];
  if (answered_ == sent_.size() || answered_ == kMaxAnswered) {
    sent_.erase(sent_.begin(), sent_.begin() + static_cast<std::ptrdiff_t>(answered_));
    answered_ = 0;
  }
  Tell(answer, intended, cause);
  return true;
}

void OrderedSession::StopTaking() {
  takes_requests_ = false;
  while (in_flight() > 0) Answered(Answer::kNotTaken);
}

bool OrderedSession::Receive(std::string_view bytes) {
  std::string_view unread = bytes;
  if (!carried_.empty()) {
    carried_.append(bytes);
    unread = carried_;
  }
  std::size_t used = 0;
  while (used < unread.size() && takes_requests_) {
    const std::size_t size = ReadOne(unread.substr(used));
    if (size == kFault) return false;
    if (size == 0) break;
    used += size;
  }
  if (carried_.empty()) {
    carried_.assign(unread.substr(used));
  } else {
    carried_.erase(0, used);
  }
  return true;
}

void OrderedSession::ReceiveEnd(std::string_view cause) {
  if (!carried_.empty() && takes_requests_) ReadLast(carried_);
  takes_requests_ = false;
  while (in_flight() > 0) Answered(Answer::kError, cause);
}

}  // namespace sluice
