#include "load/load_loop.h"

#include <sys/epoll.h>
#include <sys/prctl.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <ctime>
#include <utility>

#include "core/duration.h"
#include "core/text.h"

namespace sluice {
namespace {

constexpr Nanos kTick = std::chrono::milliseconds{100};
constexpr Nanos kSecond = std::chrono::seconds{1};
constexpr std::size_t kReadBytes = std::size_t{256} * 1024;
constexpr std::size_t kEventsMost = 256;

constexpr std::string_view kClosed = "the connection was closed";
constexpr std::string_view kTimedOut = "timed out";

}  // namespace

void LoadShare::AddSecond(const Measurements& part) {
  const std::lock_guard guard(mutex_);
  second_.Add(part);
}

Measurements LoadShare::TakeSecond() {
  const std::lock_guard guard(mutex_);
  return std::exchange(second_, {});
}

LoadLoop::LoadLoop(const LoadPlan& plan, Part part, Clock& clock, LoadShare& share,
                   LoadWatcher* watcher)
    : plan_(plan),
      part_(part),
      clock_(clock),
      share_(share),
      watcher_(watcher),
      epoll_(epoll_create1(EPOLL_CLOEXEC)),
      keys_(plan.distribution, plan.keys, plan.seed, part),
      scratch_(kReadBytes) {}

Result<Done> LoadLoop::Open() {
  const std::uint64_t count = part_.Of(plan_.connections);
  for (std::uint64_t i = 0; i < count; ++i) {
    connections_.push_back(std::make_unique<LoadConnection>());
    const Result<Done> opened = connections_.back()->Open(
        plan_.server, plan_.timeout, epoll_.descriptor(), plan_.make_session(*this));
    if (!opened) return opened.error();
  }
  return Done{};
}

Result<Done> LoadLoop::Run(Time begin) {
  pace_.emplace(plan_.amount, part_, begin);
  now_ = open_at_ = begin;
  next_tick_ = begin + kTick;
  next_second_ = begin + kSecond;
  for (const auto& connection : connections_) {
    connection->heard_at = begin;
    if (plan_.amount.rate == 0) Fill(*connection);
    connection->Flush(epoll_.descriptor());
  }
  // Waking up 50 us late, as is usual, would be part of every latency of an open loop.
  if (plan_.amount.rate > 0) prctl(PR_SET_TIMERSLACK, 1);
  while (!failure_ && !share_.stopped() && !IsOver()) {
    if (now_ >= next_tick_) Tick();
    if (plan_.amount.rate > 0) SendDue();
    Wait();
  }
  if (failure_) {
    share_.Stop();
    return *failure_;
  }
  if (!share_.stopped()) GiveUp();
  return Done{};
}

bool LoadLoop::IsOver() const {
  if (pace_->IsOver(now_)) return in_flight_ == 0;
  // What a server that is too slow leaves of an open loop is not waited for without end.
  return pace_->end() && now_ > *pace_->end() + plan_.timeout;
}

void LoadLoop::GiveUp() {
  for (const auto& connection : connections_) connection->Close(kTimedOut);
  measured_.AddErrors(pace_->unsent(), "not sent in time");
}

// --- sending --------------------------------------------------------------------------------

void LoadLoop::Send(LoadConnection& connection, Time intended) {
  if (connection.session().in_flight() == 0) connection.heard_at = now_;
  connection.session().Send(keys_.Next(), intended);
  ++in_flight_;
}

void LoadLoop::Fill(LoadConnection& connection) {
  while (connection.HasRoom(plan_.depth)) {
    const std::optional<Time> intended = pace_->Next(now_);
    if (!intended) return;
    Send(connection, *intended);
  }
}

LoadConnection* LoadLoop::FindRoom() {
  for (std::size_t i = 0; i < connections_.size(); ++i) {
    LoadConnection& connection = *connections_[turn_];
    if (connection.is_open() && connection.HasRoom(plan_.depth)) return &connection;
    NextTurn();
  }
  return nullptr;
}

void LoadLoop::SendDue() {
  for (;;) {
    LoadConnection* const connection = FindRoom();
    is_full_ = connection == nullptr;
    if (is_full_) break;
    const std::optional<Time> intended = pace_->Next(now_);
    if (!intended) break;
    Send(*connection, *intended);
    touched_.push_back(connection);
    NextTurn();
  }
  // Several may be for one connection; its second turn finds nothing to send.
  for (LoadConnection* connection : touched_) connection->Flush(epoll_.descriptor());
  touched_.clear();
}

// --- what comes back ------------------------------------------------------------------------

void LoadLoop::OnAnswer(Answer answer, Time intended, std::string_view cause) {
  --in_flight_;
  if (answer == Answer::kNotTaken) return pace_->Again(intended);
  const bool counts = intended >= pace_->measured_from();
  const Nanos latency = std::max(now_ - intended, Nanos{0});
  switch (answer) {
    case Answer::kAllowed:
      second_.AddAllowed(latency);
      if (counts) measured_.AddAllowed(latency);
      break;
    case Answer::kRefused:
      second_.AddRefused(latency);
      if (counts) measured_.AddRefused(latency);
      break;
    default:
      second_.AddErrors(1, cause);
      if (counts) measured_.AddErrors(1, cause);
  }
  if (counts) last_answer_ = now_;
}

void LoadLoop::Wait() {
  Nanos length = next_tick_ - now_;
  const std::optional<Time> due = pace_->NextDue();
  if (due && !is_full_) length = std::min(length, *due - now_);
  length = std::max(length, Nanos{0});
  const timespec timeout{0, static_cast<long>(length.count())};  // NOLINT(google-runtime-int)
  std::array<epoll_event, kEventsMost> events;
  const int count = epoll_pwait2(epoll_.descriptor(), events.data(),
                                 static_cast<int>(events.size()), &timeout, nullptr);
  now_ = clock_.Now();
  for (int i = 0; i < count; ++i) {
    auto& connection = *static_cast<LoadConnection*>(events[static_cast<std::size_t>(i)].data.ptr);
    Handle(connection);
  }
}

void LoadLoop::Handle(LoadConnection& connection) {
  if (!connection.is_open() || failure_) return;
  std::string_view bytes;
  const LoadConnection::Heard heard = connection.Read(scratch_, bytes);
  now_ = clock_.Now();
  if (heard == LoadConnection::Heard::kEnd) return Renew(connection, kClosed);
  if (heard == LoadConnection::Heard::kSome) {
    connection.heard_at = now_;
    const std::size_t before = in_flight_;
    const bool is_understood = connection.session().Receive(bytes);
    answers_ += before - in_flight_;
    if (!is_understood) {
      failure_ = Error{Concat(plan_.server.text,
                              " does not speak the protocol: ", connection.session().fault())};
      return;
    }
    if (!connection.session().takes_requests() && connection.session().in_flight() == 0) {
      return Renew(connection, kClosed);
    }
  }
  if (plan_.amount.rate == 0) Fill(connection);
  connection.Flush(epoll_.descriptor());
}

void LoadLoop::Renew(LoadConnection& connection, std::string_view cause) {
  connection.Close(cause);
  if (answers_ == 0) {
    failure_ =
        Error{Concat(plan_.server.text, cause == kClosed ? " closed a connection without any answer"
                                                         : Concat(" gave no answer in ",
                                                                  FormatDuration(plan_.timeout)))};
    return;
  }
  if (pace_->IsOver(now_)) return;
  const Result<Done> opened =
      connection.Open(plan_.server, plan_.timeout, epoll_.descriptor(), plan_.make_session(*this));
  now_ = clock_.Now();
  if (!opened) {
    // Tick tries again, for a while.
    if (now_ > open_at_ + plan_.timeout) failure_ = opened.error();
    return;
  }
  connection.heard_at = now_;
  if (plan_.amount.rate == 0) Fill(connection);
  connection.Flush(epoll_.descriptor());
}

// --- now and then ---------------------------------------------------------------------------

void LoadLoop::Tick() {
  next_tick_ = now_ + kTick;
  CheckConnections();
  if (now_ >= next_second_) {
    next_second_ += kSecond;
    TellSecond();
  }
  if (watcher_ != nullptr && watcher_->WantsEnd()) share_.Stop();
}

void LoadLoop::CheckConnections() {
  if (std::ranges::any_of(connections_, [](const auto& each) { return each->is_open(); })) {
    open_at_ = now_;
  }
  for (const auto& connection : connections_) {
    if (failure_) return;
    if (!connection->is_open()) {
      Renew(*connection, kClosed);
    } else if (connection->session().in_flight() > 0 &&
               now_ > connection->heard_at + plan_.timeout) {
      Renew(*connection, kTimedOut);
    }
  }
}

void LoadLoop::TellSecond() {
  share_.AddSecond(second_);
  second_ = {};
  if (watcher_ == nullptr) return;
  LoadReport report;
  report.measured = share_.TakeSecond();
  report.elapsed = kSecond;
  watcher_->OnSecond(report);
}

}  // namespace sluice
