#include "load/load_loop.h"

#include <sys/epoll.h>
#include <sys/prctl.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <ctime>
#include <utility>

#include "base/duration.h"
#include "base/text.h"

namespace sluice {
namespace {

constexpr Nanos kTick = std::chrono::milliseconds{100};
constexpr Nanos kSecond = std::chrono::seconds{1};
constexpr std::size_t kReadBytes = std::size_t{256} * 1024;
constexpr std::size_t kMaxEvents = 256;

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

LoadLoop::LoadLoop(const LoadPlan& plan, TaskSlice slice, Clock& clock, LoadShare& share,
                   LoadWatcher* watcher)
    : plan_(plan),
      slice_(slice),
      clock_(clock),
      share_(share),
      watcher_(watcher),
      epoll_(epoll_create1(EPOLL_CLOEXEC)),
      keys_(plan.distribution, plan.keys, plan.seed, slice),
      scratch_(kReadBytes) {}

Result<Done> LoadLoop::Open() {
  const std::uint64_t count = slice_.Of(plan_.connections);
  for (std::uint64_t i = 0; i < count; ++i) {
    connections_.push_back(std::make_unique<LoadConnection>());
    const Result<Done> opened = connections_.back()->Open(
        plan_.server, plan_.timeout, epoll_.descriptor(), plan_.make_session(*this));
    if (!opened) return opened.error();
    ++open_count_;
  }
  return Done{};
}

Result<Done> LoadLoop::Run(Time begin) {
  schedule_.emplace(plan_.amount, slice_, begin);
  now_ = begin;
  next_tick_ = begin + kTick;
  next_second_ = begin + kSecond;
  for (const auto& connection : connections_) {
    connection->answered_at = begin;
    if (plan_.amount.rate == 0) Fill(*connection);
    connection->Flush(epoll_.descriptor());
  }
  // The default timer slack of 50 us would add to every latency of an open loop.
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
  return share_.stopped() ? Done{} : GiveUp();
}

bool LoadLoop::IsOver() const {
  // Bounds the wait for requests that a slow server leaves unsent or unanswered.
  if (schedule_->end() && now_ > *schedule_->end() + plan_.timeout) return true;
  return schedule_->IsOver(now_) && in_flight_ == 0;
}

Result<Done> LoadLoop::GiveUp() {
  if (answers_ == 0 && (in_flight_ > 0 || schedule_->unsent() > 0)) return NoAnswer();
  for (const auto& connection : connections_) Close(*connection, kTimedOut);
  measured_.AddErrors(schedule_->unsent(), "not sent in time");
  return Done{};
}

Error LoadLoop::NoAnswer() const {
  return Error{Concat(plan_.server.text, " gave no answer in ", FormatDuration(plan_.timeout))};
}

// --- sending --------------------------------------------------------------------------------

void LoadLoop::Send(LoadConnection& connection, Time intended) {
  if (connection.session().in_flight() == 0) connection.answered_at = now_;
  connection.session().Send(keys_.Next(), intended);
  ++in_flight_;
}

void LoadLoop::Fill(LoadConnection& connection) {
  while (connection.HasRoom(plan_.depth)) {
    const std::optional<Time> intended = schedule_->Next(now_);
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

// Sends all due requests on the connection whose turn it is, as far as it has room. One system call
// per request would keep the load generator, and the server with it, from reaching high rates.
void LoadLoop::SendDue() {
  for (;;) {
    LoadConnection* const connection = FindRoom();
    is_full_ = connection == nullptr;
    if (is_full_) return;
    const std::size_t before = in_flight_;
    Fill(*connection);
    if (in_flight_ == before) return;
    connection->Flush(epoll_.descriptor());
    NextTurn();
  }
}

// --- receiving ------------------------------------------------------------------------------

void LoadLoop::OnAnswer(Answer answer, Time intended, std::string_view cause) {
  --in_flight_;
  if (answer == Answer::kNotTaken) {
    if (!untaken_since_) untaken_since_ = now_;
    return schedule_->Again(intended);
  }
  untaken_since_.reset();
  const bool is_lost =
      answer == Answer::kError && !closing_cause_.empty() && cause == closing_cause_;
  if (!is_lost) ++answers_;
  const bool counts = intended >= schedule_->measured_from();
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
  if (counts) MoveLastAnswer(is_lost);
}

// A lost answer is noticed long after the load has ended, so it counts at the end of the load.
void LoadLoop::MoveLastAnswer(bool is_lost) {
  if (!is_lost) {
    last_answer_ = now_;
  } else if (schedule_->end()) {
    const Time until = std::min(now_, *schedule_->end());
    last_answer_ = std::max(last_answer_.value_or(until), until);
  }
}

void LoadLoop::Wait() {
  Nanos length = next_tick_ - now_;
  const std::optional<Time> due = schedule_->NextDue();
  if (due && !is_full_) length = std::min(length, *due - now_);
  length = std::max(length, Nanos{0});
  const timespec timeout{0, static_cast<long>(length.count())};  // NOLINT(google-runtime-int)
  std::array<epoll_event, kMaxEvents> events;
  const int count = epoll_pwait2(epoll_.descriptor(), events.data(),
                                 static_cast<int>(events.size()), &timeout, nullptr);
  now_ = clock_.Now();
  for (int i = 0; i < count; ++i) {
    auto& connection = *static_cast<LoadConnection*>(events[static_cast<std::size_t>(i)].data.ptr);
    Handle(connection);
  }
}

void LoadLoop::Handle(LoadConnection& connection) {
  if (failure_) return;
  if (connection.is_opening()) {
    return GoOn(connection, connection.ContinueOpening(epoll_.descriptor()));
  }
  if (!connection.is_open()) return;
  std::string_view bytes;
  const LoadConnection::Heard heard = connection.Read(scratch_, bytes);
  now_ = clock_.Now();
  if (heard == LoadConnection::Heard::kEnd) return Renew(connection, kClosed);
  if (heard == LoadConnection::Heard::kSome) {
    const std::size_t before = answers_;
    const bool is_understood = connection.session().Receive(bytes);
    if (answers_ != before) connection.answered_at = now_;
    if (!is_understood) {
      failure_ = Error{Concat(plan_.server.text, " ", connection.session().fault())};
      return;
    }
    if (!connection.session().takes_requests() && connection.session().in_flight() == 0) {
      Close(connection, kClosed);
      return Reopen(connection);
    }
  }
  if (plan_.amount.rate == 0) Fill(connection);
  connection.Flush(epoll_.descriptor());
}

void LoadLoop::Close(LoadConnection& connection, std::string_view cause) {
  if (!connection.is_open()) return;
  closing_cause_ = cause;
  connection.Close(cause);
  closing_cause_ = {};
  if (--open_count_ == 0) open_at_ = now_;
}

void LoadLoop::Renew(LoadConnection& connection, std::string_view cause) {
  Close(connection, cause);
  if (answers_ == 0) {
    failure_ = cause == kClosed
                   ? Error{Concat(plan_.server.text, " closed a connection without any answer")}
                   : NoAnswer();
    return;
  }
  Reopen(connection);
}

void LoadLoop::Reopen(LoadConnection& connection) {
  if (schedule_->IsOver(now_)) return;
  GoOn(connection, connection.BeginOpening(plan_.server, plan_.timeout, epoll_.descriptor(),
                                           plan_.make_session(*this)));
}

void LoadLoop::GoOn(LoadConnection& connection, const Result<LoadConnection::Opening>& opening) {
  if (!opening) {
    // Tick retries until the timeout has passed.
    if (open_count_ == 0 && now_ > open_at_ + plan_.timeout) failure_ = opening.error();
    return;
  }
  connection.opening_at = now_;
  if (opening.value() == LoadConnection::Opening::kUnderWay) return;
  ++open_count_;
  connection.answered_at = now_;
  if (plan_.amount.rate == 0) Fill(connection);
  connection.Flush(epoll_.descriptor());
}

// --- periodic work --------------------------------------------------------------------------

void LoadLoop::Tick() {
  next_tick_ = now_ + kTick;
  if (untaken_since_ && now_ > *untaken_since_ + plan_.timeout) {
    failure_ = Error{
        Concat(plan_.server.text, " has not taken a request in ", FormatDuration(plan_.timeout))};
    return;
  }
  CheckConnections();
  if (now_ >= next_second_) {
    next_second_ += kSecond;
    TellSecond();
  }
  if (watcher_ != nullptr && watcher_->WantsEnd()) share_.Stop();
}

void LoadLoop::CheckConnections() {
  for (const auto& connection : connections_) {
    if (failure_) return;
    if (connection->is_opening()) {
      if (now_ > connection->opening_at + plan_.timeout) {
        GoOn(*connection, connection->TimeOutOpening(epoll_.descriptor()));
      }
    } else if (!connection->is_open()) {
      Reopen(*connection);
    } else if (connection->session().in_flight() > 0 &&
               now_ > connection->answered_at + plan_.timeout) {
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
