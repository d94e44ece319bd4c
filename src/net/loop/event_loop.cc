#include "net/loop/event_loop.h"

#include <sys/eventfd.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include <cassert>
#include <chrono>
#include <cstdint>
#include <utility>

namespace sluice {
namespace {

constexpr std::uint32_t kInput = EPOLLIN | EPOLLRDHUP | EPOLLET;

EventLoop::Readiness ReadinessOf(std::uint32_t events) {
  EventLoop::Readiness ready;
  ready.input = (events & EPOLLIN) != 0;
  ready.ended = (events & EPOLLRDHUP) != 0;
  ready.broken = (events & (EPOLLERR | EPOLLHUP)) != 0;
  return ready;
}

// Reads and resets the counter of an eventfd or timerfd. Returns 0 if there was no event.
std::uint64_t ReadCount(int descriptor) {
  std::uint64_t count = 0;
  return read(descriptor, &count, sizeof count) == sizeof count ? count : 0;
}

timespec TimeSpecOf(Nanos length) {
  const auto seconds = std::chrono::floor<std::chrono::seconds>(length);
  return {seconds.count(), (length - seconds).count()};
}

}  // namespace

EventLoop::Bell::Bell() : socket_(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {}

void EventLoop::Bell::Ring() const {
  const std::uint64_t once = 1;
  // A write fails only if the counter is at its maximum; then a wakeup is pending anyway.
  static_cast<void>(!write(descriptor(), &once, sizeof once));
}

void EventLoop::Bell::OnReady(const Readiness& /*ready*/) { ReadCount(descriptor()); }

EventLoop::EventLoop() : epoll_(epoll_create1(EPOLL_CLOEXEC)) { Watch(bell_.descriptor(), bell_); }

bool EventLoop::Watch(int descriptor, Watcher& watcher) {
  const bool is_watched = Control(EPOLL_CTL_ADD, descriptor, kInput, watcher);
  is_usable_ = is_usable_ && is_watched;
  return is_watched;
}

void EventLoop::WatchRoom(int descriptor, Watcher& watcher) {
  Control(EPOLL_CTL_MOD, descriptor, kInput | EPOLLOUT, watcher);
}

bool EventLoop::Control(int operation, int descriptor, std::uint32_t events, Watcher& watcher) {
  epoll_event event{};
  event.events = events;
  event.data.ptr = &watcher;
  return epoll_ctl(epoll_.descriptor(), operation, descriptor, &event) == 0;
}

void EventLoop::Unwatch(int descriptor) {
  epoll_ctl(epoll_.descriptor(), EPOLL_CTL_DEL, descriptor, nullptr);
}

void EventLoop::Post(Call call) {
  bool is_first = false;
  {
    const std::lock_guard lock(mutex_);
    is_first = posted_.empty();
    posted_.push_back(std::move(call));
  }
  if (is_first) bell_.Ring();
}

void EventLoop::Run() {
  while (!is_ended_ || !again_.empty() || HasPosted()) {
    CallReady();
    CallAgain();
    CallPosted();
  }
  is_ended_ = false;
}

void EventLoop::CallReady() {
  constexpr int kForever = -1;
  const int patience = is_ended_ || !again_.empty() ? 0 : kForever;
  const int count =
      epoll_wait(epoll_.descriptor(), batch_.data(), static_cast<int>(batch_.size()), patience);
  for (int i = 0; i < count; ++i) {
    const epoll_event& event = batch_[static_cast<std::size_t>(i)];
    static_cast<Watcher*>(event.data.ptr)->OnReady(ReadinessOf(event.events));
  }
}

void EventLoop::CallAgain() {
  assert(called_again_.empty());
  std::swap(again_, called_again_);
  for (Watcher* const watcher : called_again_) watcher->OnAgain();
  called_again_.clear();
}

void EventLoop::CallPosted() {
  std::vector<Call> calls;
  {
    const std::lock_guard lock(mutex_);
    calls.swap(posted_);
  }
  for (const Call& call : calls) call();
}

bool EventLoop::HasPosted() {
  const std::lock_guard lock(mutex_);
  return !posted_.empty();
}

LoopTimer::LoopTimer(EventLoop& loop, EventLoop::Call call)
    : descriptor_(timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK)),
      call_(std::move(call)) {
  loop.Watch(descriptor_.descriptor(), *this);
}

void LoopTimer::Set(Nanos first, Nanos next) {
  const itimerspec times{TimeSpecOf(next), TimeSpecOf(first)};
  timerfd_settime(descriptor_.descriptor(), 0, &times, nullptr);
}

void LoopTimer::OnReady(const EventLoop::Readiness& /*ready*/) {
  if (ReadCount(descriptor_.descriptor()) > 0) call_();
}

}  // namespace sluice
