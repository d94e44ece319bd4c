#include "config/file_follower.h"

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

#include "core/text.h"

namespace sluice {
namespace {

Error SystemError(std::string_view what, int failure) {
  return {Concat(what, ": ", std::generic_category().message(failure))};
}

// For poll: whole milliseconds, rounded up so that it does not wake early, over and over.
int Timeout(Nanos length) {
  constexpr Nanos kLongest = std::chrono::hours{1};
  const Nanos bounded = std::clamp(length, Nanos{0}, kLongest);
  return static_cast<int>(std::chrono::ceil<std::chrono::milliseconds>(bounded).count());
}

}  // namespace

Result<std::unique_ptr<FileFollower>> FileFollower::Create(
    FollowPorts ports, const FollowTimes& times, Result<std::unique_ptr<DirectoryWatch>> watch,
    Clock& clock) {
  Descriptor wake(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
  if (!wake.ok()) return SystemError("cannot make an event descriptor", errno);
  return std::unique_ptr<FileFollower>(
      new FileFollower(std::move(ports), times, std::move(watch), std::move(wake), clock));
}

FileFollower::FileFollower(FollowPorts ports, const FollowTimes& times,
                           Result<std::unique_ptr<DirectoryWatch>> watch, Descriptor wake,
                           Clock& clock)
    : ports_(std::move(ports)),
      times_(times),
      clock_(clock),
      wake_(std::move(wake)),
      settle_(times.settle) {
  if (watch.ok()) {
    watch_ = std::move(watch).value();
  } else {
    no_watch_ = watch.error().message;
  }
}

Nanos FileFollower::LookEvery() const {
  const bool watched = watch_ != nullptr && watch_->fault().empty();
  return watched ? times_.look_every : times_.look_every_unwatched;
}

void FileFollower::NoteWatch() const {
  const auto every = std::chrono::ceil<std::chrono::seconds>(times_.look_every_unwatched);
  ports_.note_watch(watch_ ? watch_->fault() : no_watch_,
                    Concat(ports_.what, " are read every ", every.count(), " s instead"));
}

void FileFollower::Wake() const {
  const int kept = errno;
  const std::uint64_t one = 1;
  // Fails only where the counter is full, and then the other side will wake anyway.
  [[maybe_unused]] const ssize_t written = ::write(wake_.get(), &one, sizeof(one));
  errno = kept;
}

void FileFollower::RequestReload() {
  reload_requested_.store(true);
  Wake();
}

void FileFollower::Stop() {
  stop_requested_.store(true);
  Wake();
}

Result<Done> FileFollower::Wait() const {
  const int watched = watch_ ? watch_->descriptor() : -1;  // poll passes over -1
  std::array<pollfd, 2> waited = {{{wake_.get(), POLLIN, 0}, {watched, POLLIN, 0}}};
  const int timeout = Timeout(settle_.Due() - clock_.Now());
  if (::poll(waited.data(), waited.size(), timeout) < 0 && errno != EINTR) {
    return SystemError(Concat("cannot wait for changes of the ", ports_.what), errno);
  }
  // Before the requests are looked at, so that none that comes afterwards is lost.
  std::uint64_t count = 0;
  [[maybe_unused]] const ssize_t size = ::read(wake_.get(), &count, sizeof(count));
  return Done{};
}

Result<Done> FileFollower::Run() {
  while (true) {
    if (Result<Done> waited = Wait(); !waited.ok()) return waited;
    if (stop_requested_.load()) return Done{};
    Step();
  }
}

void FileFollower::Step() {
  const Time now = clock_.Now();
  if (watch_) settle_.Changed(watch_->Drain(), now);
  NoteWatch();
  if (reload_requested_.exchange(false)) settle_.Requested();
  if (const std::optional<ReloadCause> cause = settle_.Take(now)) Act(*cause);
}

void FileFollower::Act(ReloadCause cause) {
  switch (ports_.load(cause)) {
    case LoadOutcome::kLoaded:
    case LoadOutcome::kUnchanged:
      return settle_.Succeeded(clock_.Now() + LookEvery());
    case LoadOutcome::kDiffers:
      return settle_.Changed(Noticed::kChange, clock_.Now());
    case LoadOutcome::kFailed:
      return settle_.Failed(clock_.Now());
  }
}

}  // namespace sluice
