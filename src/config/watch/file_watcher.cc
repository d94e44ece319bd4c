#include "config/watch/file_watcher.h"

#include <poll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cstdint>
#include <optional>
#include <system_error>
#include <utility>

#include "base/text.h"

namespace sluice {
namespace {

Error SystemError(std::string_view what, int failure) {
  return {Concat(what, ": ", std::generic_category().message(failure))};
}

// Returns a timeout for poll in milliseconds. Rounds up, because waking too early would repeat in a
// busy loop.
int Timeout(Nanos length) {
  constexpr Nanos kLongest = std::chrono::hours{1};
  const Nanos bounded = std::clamp(length, Nanos{0}, kLongest);
  return static_cast<int>(std::chrono::ceil<std::chrono::milliseconds>(bounded).count());
}

}  // namespace

Result<std::unique_ptr<FileWatcher>> FileWatcher::Create(
    FollowCallbacks ports, const FollowTimes& times, Result<std::unique_ptr<DirectoryWatch>> watch,
    Clock& clock) {
  Descriptor wake(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
  if (!wake.ok()) return SystemError("cannot make an event descriptor", errno);
  return std::unique_ptr<FileWatcher>(
      new FileWatcher(std::move(ports), times, std::move(watch), std::move(wake), clock));
}

FileWatcher::FileWatcher(FollowCallbacks ports, const FollowTimes& times,
                         Result<std::unique_ptr<DirectoryWatch>> watch, Descriptor wake,
                         Clock& clock)
    : ports_(std::move(ports)),
      times_(times),
      clock_(clock),
      wake_(std::move(wake)),
      debouncer_(times.settle) {
  if (watch.ok()) {
    watch_ = std::move(watch).value();
  } else {
    no_watch_ = watch.error().message;
  }
}

Nanos FileWatcher::LookEvery() const {
  const bool watched = watch_ != nullptr && watch_->fault().empty();
  return watched ? times_.look_every : times_.look_every_unwatched;
}

void FileWatcher::NoteWatch() const {
  const auto every = std::chrono::ceil<std::chrono::seconds>(times_.look_every_unwatched);
  ports_.note_watch(watch_ ? watch_->fault() : no_watch_,
                    Concat(ports_.what, " are read every ", every.count(), " s instead"));
}

void FileWatcher::Wake() const {
  const int kept = errno;
  const std::uint64_t one = 1;
  // Fails only if the counter is full; the thread in Run will wake up anyway then.
  [[maybe_unused]] const ssize_t written = ::write(wake_.get(), &one, sizeof(one));
  errno = kept;
}

void FileWatcher::RequestReload() {
  reload_requested_.store(true);
  Wake();
}

void FileWatcher::Stop() {
  stop_requested_.store(true);
  Wake();
}

Result<Done> FileWatcher::Wait() const {
  const int watched = watch_ ? watch_->descriptor() : -1;  // poll ignores -1
  std::array<pollfd, 2> waited = {{{wake_.get(), POLLIN, 0}, {watched, POLLIN, 0}}};
  const int timeout = Timeout(debouncer_.Due() - clock_.Now());
  if (::poll(waited.data(), waited.size(), timeout) < 0 && errno != EINTR) {
    return SystemError(Concat("cannot wait for changes of the ", ports_.what), errno);
  }
  // Reset the eventfd before the flags are read, so that a request that comes later wakes poll
  // again.
  std::uint64_t count = 0;
  [[maybe_unused]] const ssize_t size = ::read(wake_.get(), &count, sizeof(count));
  return Done{};
}

Result<Done> FileWatcher::Run() {
  while (true) {
    if (Result<Done> waited = Wait(); !waited.ok()) return waited;
    if (stop_requested_.load()) return Done{};
    Step();
  }
}

void FileWatcher::Step() {
  const Time now = clock_.Now();
  if (watch_) debouncer_.Changed(watch_->Drain(), now);
  NoteWatch();
  if (reload_requested_.exchange(false)) debouncer_.Requested();
  if (const std::optional<ReloadCause> cause = debouncer_.Take(now)) Act(*cause);
}

void FileWatcher::Act(ReloadCause cause) {
  switch (ports_.load(cause)) {
    case LoadOutcome::kLoaded:
    case LoadOutcome::kUnchanged:
      return debouncer_.Succeeded(clock_.Now() + LookEvery());
    case LoadOutcome::kDiffers:
      return debouncer_.Changed(Noticed::kChange, clock_.Now());
    case LoadOutcome::kFailed:
      return debouncer_.Failed(clock_.Now());
  }
}

}  // namespace sluice
