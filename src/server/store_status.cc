#include "server/store_status.h"

#include <utility>

#include "base/duration.h"
#include "base/text.h"

namespace sluice::cli {
namespace {

// Formats a duration in whole seconds: "75s", "2m".
std::string WholeSeconds(Nanos length) {
  return FormatDuration(std::chrono::floor<std::chrono::seconds>(length));
}

}  // namespace

void StoreStatus::OnConnected(std::string_view server) {
  const std::lock_guard lock(mutex_);
  server_.assign(server);
  // The last failure of this server is no longer the cause of failing requests.
  if (store_failure_.server == server) store_failure_.check = 0;
}

void StoreStatus::OnFailure(RedisServerRole role, std::string_view server, std::string_view cause) {
  const std::unique_lock lock(mutex_, std::try_to_lock);
  if (!lock.owns_lock()) return;
  const bool keeps_states = role == RedisServerRole::kStore;
  if (keeps_states) server_.assign(server);
  Failure& failure = keeps_states ? store_failure_ : sentinel_failure_;
  failure.server.assign(server);
  failure.cause.assign(cause);
  failure.check = check_;
}

void StoreStatus::RecordTrouble(Time now, std::uint64_t check) {
  if (trouble_check_ == 0) {
    trouble_check_ = check;
    trouble_began_ = now;
  }
  trouble_seen_ = now;
}

std::optional<StoreStatus::LogLine> StoreStatus::Check(Time now, const StoreActivity& activity) {
  const std::lock_guard lock(mutex_);
  const StoreActivity before = std::exchange(seen_, activity);
  const bool probe_answered = activity.probes_answered != before.probes_answered;
  const bool answered = probe_answered || activity.answered != before.answered;
  const bool probe_failed = !probe_answered && activity.probes_failed != before.probes_failed;
  const bool in_trouble = probe_failed || activity.failed != before.failed;
  const std::uint64_t check = check_++;
  if (in_trouble) RecordTrouble(now, check);
  if (state_ == State::kFailing) {
    if (in_trouble) return now - logged_ >= kLogInterval ? Fail(now) : std::nullopt;
    return answered && now - trouble_seen_ >= kSteady ? Recover(now) : std::nullopt;
  }
  const bool is_failing =
      in_trouble && (FindFailure() != nullptr || now - trouble_began_ >= kGrace);
  if (is_failing && !(answered && state_ == State::kStarting && FindFailure() == nullptr)) {
    return Fail(now);
  }
  if (!in_trouble) trouble_check_ = 0;
  return answered && state_ == State::kStarting ? Recover(now) : std::nullopt;
}

// A failure may be reported just before the first request that fails because of it, so a failure
// from the check before counts, too.
const StoreStatus::Failure* StoreStatus::FindFailure() const {
  for (const Failure* const failure : {&store_failure_, &sentinel_failure_}) {
    if (failure->check != 0 && failure->check + 1 >= trouble_check_) return failure;
  }
  return nullptr;
}

std::string StoreStatus::CauseText() const {
  if (const Failure* const failure = FindFailure()) return failure->cause;
  if (server_.empty()) return Concat("no answer from ", servers_);
  return Concat(server_, " did not answer all requests in time");
}

std::optional<StoreStatus::LogLine> StoreStatus::Fail(Time now) {
  const bool lasts = std::exchange(state_, State::kFailing) == State::kFailing;
  logged_ = now;
  return LogLine{LogLevel::kWarning, "store_failing",
                 Concat(CauseText(),
                        lasts ? Concat(" (failing for ", WholeSeconds(now - trouble_began_), ")")
                              : std::string(),
                        "; `on_store_failure` decides the requests that it does not answer")};
}

std::optional<StoreStatus::LogLine> StoreStatus::Recover(Time now) {
  const bool failed = std::exchange(state_, State::kAnswering) == State::kFailing;
  std::string text = Concat(server_.empty() ? servers_ : server_, " answers");
  if (failed) text += Concat(" again, after ", WholeSeconds(now - trouble_began_));
  trouble_check_ = 0;
  return LogLine{LogLevel::kInfo, "store_connected", std::move(text)};
}

std::string StoreStatus::Describe(bool names_servers) const {
  const std::lock_guard lock(mutex_);
  switch (state_) {
    case State::kStarting:
      return "no answer yet";
    case State::kAnswering:
      return "answering";
    case State::kFailing:
      break;
  }
  return names_servers ? Concat("failing: ", CauseText()) : "failing";
}

}  // namespace sluice::cli
