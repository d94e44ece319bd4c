#include "config/live_rules.h"

#include <poll.h>
#include <sys/eventfd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "config/rule_files.h"
#include "core/text.h"

namespace sluice {
namespace {

Error SystemError(std::string_view what, int failure) {
  return {Concat(what, ": ", std::generic_category().message(failure))};
}

// All files, or what is wrong with those that cannot be read.
Result<std::vector<RuleText>> ReadAllFiles(std::span<const std::string> paths) {
  std::vector<RuleText> texts = ReadRuleFiles(paths);
  std::string faults;
  for (const RuleText& text : texts) {
    if (text.fault.empty()) continue;
    faults += Concat(faults.empty() ? "" : "\n", text.name, ": ", text.fault);
  }
  if (!faults.empty()) return Error{std::move(faults)};
  return texts;
}

// For poll: whole milliseconds, rounded up so that it does not wake early, over and over.
int Timeout(Nanos length) {
  constexpr Nanos kLongest = std::chrono::hours{1};
  const Nanos bounded = std::clamp(length, Nanos{0}, kLongest);
  return static_cast<int>(std::chrono::ceil<std::chrono::milliseconds>(bounded).count());
}

}  // namespace

Result<std::unique_ptr<LiveRules>> LiveRules::Create(LiveRulesOptions options,
                                                     Result<std::unique_ptr<DirectoryWatch>> watch,
                                                     Clock& clock) {
  Descriptor wake(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
  if (!wake.ok()) return SystemError("cannot make an event descriptor", errno);
  return std::unique_ptr<LiveRules>(
      new LiveRules(std::move(options), std::move(watch), std::move(wake), clock));
}

LiveRules::LiveRules(LiveRulesOptions options, Result<std::unique_ptr<DirectoryWatch>> watch,
                     Descriptor wake, Clock& clock)
    : options_(std::move(options)),
      clock_(clock),
      wake_(std::move(wake)),
      settle_(options_.settle),
      loader_({.read = [this] { return ReadAllFiles(options_.paths); },
               .zones = options_.zones,
               .use = options_.use,
               .report = options_.report},
              clock) {
  if (watch.ok()) {
    watch_ = std::move(watch).value();
  } else {
    no_watch_ = watch.error().message;
  }
}

Result<Done> LiveRules::Load() {
  NoteWatch();
  if (loader_.Load(ReloadCause::kStart) != LoadOutcome::kFailed) return Done{};
  std::string lines;
  for (const std::string& problem : status()->failure->problems) {
    lines += Concat(lines.empty() ? "" : "\n", problem);
  }
  return Error{std::move(lines)};
}

Nanos LiveRules::LookEvery() const {
  const bool watched = watch_ != nullptr && watch_->fault().empty();
  return watched ? options_.look_every : options_.look_every_unwatched;
}

void LiveRules::NoteWatch() {
  const auto every = std::chrono::ceil<std::chrono::seconds>(options_.look_every_unwatched);
  loader_.SetWatchFault(watch_ ? watch_->fault() : no_watch_,
                        Concat("rule files are read every ", every.count(), " s instead"));
}

void LiveRules::Wake() const {
  const int kept = errno;
  const std::uint64_t one = 1;
  // Fails only where the counter is full, and then the other side will wake anyway.
  [[maybe_unused]] const ssize_t written = ::write(wake_.get(), &one, sizeof(one));
  errno = kept;
}

void LiveRules::RequestReload() {
  reload_requested_.store(true);
  Wake();
}

void LiveRules::Stop() {
  stop_requested_.store(true);
  Wake();
}

Result<Done> LiveRules::Wait() const {
  const int watched = watch_ ? watch_->descriptor() : -1;  // poll passes over -1
  std::array<pollfd, 2> waited = {{{wake_.get(), POLLIN, 0}, {watched, POLLIN, 0}}};
  const int timeout = Timeout(settle_.Due() - clock_.Now());
  if (::poll(waited.data(), waited.size(), timeout) < 0 && errno != EINTR) {
    return SystemError("cannot wait for changes of the rule files", errno);
  }
  // Before the requests are looked at, so that none that comes afterwards is lost.
  std::uint64_t count = 0;
  [[maybe_unused]] const ssize_t size = ::read(wake_.get(), &count, sizeof(count));
  return Done{};
}

Result<Done> LiveRules::Run() {
  while (true) {
    if (Result<Done> waited = Wait(); !waited.ok()) return waited;
    if (stop_requested_.load()) return Done{};
    Step();
  }
}

void LiveRules::Step() {
  const Time now = clock_.Now();
  if (watch_) settle_.Changed(watch_->Drain(), now);
  NoteWatch();
  if (reload_requested_.exchange(false)) settle_.Requested();
  if (const std::optional<ReloadCause> cause = settle_.Take(now)) Act(*cause);
}

void LiveRules::Act(ReloadCause cause) {
  switch (loader_.Load(cause)) {
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
