// LoadLoop: one thread of a load generator.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string_view>
#include <vector>

#include "load/key_choice.h"
#include "load/load_connection.h"
#include "load/load_run.h"
#include "load/load_session.h"
#include "load/measurements.h"
#include "load/send_schedule.h"
#include "load/task_slice.h"
#include "sluice/clock.h"
#include "sluice/result.h"

namespace sluice {

// What the threads of a run share.
//
// Thread safety: any thread.
class LoadShare {
 public:
  void Stop() { stopped_.store(true, std::memory_order_relaxed); }
  [[nodiscard]] bool stopped() const { return stopped_.load(std::memory_order_relaxed); }

  void AddSecond(const Measurements& part);
  // What was added since the last call.
  Measurements TakeSecond();

 private:
  std::atomic<bool> stopped_{false};
  std::mutex mutex_;
  Measurements second_;  // guarded by mutex_
};

// Drives its slice of the connections of a plan.
//
// Thread safety: none; what it is made of outlives it, and `watcher` is null but for one loop.
//
// Invariants
//   (1) Every request is measured once: answered, or as an error with a cause. Of those that were
//       due before the end of the warm-up none is.
//   (2) Latency runs from when a request was to be sent to when its answer was read.
//   (3) In the steady state nothing is allocated for a request.
//   (4) It ends, whatever the server does: while requests are under way on a connection, one is
//       answered within the timeout or all are errors; what is taken by no connection for as long
//       is a failure; and a timeout after the last was due all that is left is an error.
class LoadLoop final : private LoadSession::Listener {
 public:
  LoadLoop(const LoadPlan& plan, TaskSlice slice, Clock& clock, LoadShare& share,
           LoadWatcher* watcher);

  // Makes the connections.
  Result<Done> Open();
  // Runs to the end of its slice.
  Result<Done> Run(Time begin);

  [[nodiscard]] const Measurements& measured() const { return measured_; }
  // When the last answer that counts came.
  [[nodiscard]] std::optional<Time> last_answer() const { return last_answer_; }

 private:
  void OnAnswer(Answer answer, Time intended, std::string_view cause) override;

  // Sends as many as are due: on this connection (closed loop), or on all by turns (open).
  void Fill(LoadConnection& connection);
  void SendDue();
  void Send(LoadConnection& connection, Time intended);
  // The connection whose turn it is, of those that take another request; null where none does.
  LoadConnection* FindRoom();
  void NextTurn() { turn_ = turn_ + 1 == connections_.size() ? 0 : turn_ + 1; }

  // Waits for sockets, and until something else is to be done.
  void Wait();
  void Handle(LoadConnection& connection);
  void MoveLastAnswer(bool is_lost);
  void Close(LoadConnection& connection, std::string_view cause);
  // Ends a connection that the server has not said it closes, and begins another.
  void Renew(LoadConnection& connection, std::string_view cause);
  void Reopen(LoadConnection& connection);
  // Sends on a connection that is open now; where it cannot be opened, Tick tries again.
  void GoOn(LoadConnection& connection, const Result<LoadConnection::Opening>& opening);

  // Ten times a second: what has taken too long, what is to be opened again, who looks on.
  void Tick();
  void CheckConnections();
  void TellSecond();
  [[nodiscard]] bool IsOver() const;
  // What has no answer by now will have none. An error where nothing ever had one.
  Result<Done> GiveUp();
  [[nodiscard]] Error NoAnswer() const;

  const LoadPlan& plan_;
  TaskSlice slice_;
  Clock& clock_;
  LoadShare& share_;
  LoadWatcher* watcher_;
  Socket epoll_;
  KeyChoice keys_;
  std::optional<SendSchedule> schedule_;
  std::vector<std::unique_ptr<LoadConnection>> connections_;
  std::size_t turn_ = 0;
  bool is_full_ = false;  // no connection takes another request
  std::vector<char> scratch_;
  Time now_{};
  Time next_tick_{};
  Time next_second_{};
  std::size_t open_count_ = 0;  // connections
  Time open_at_{};              // while none is open: when one last was
  std::size_t in_flight_ = 0;
  std::size_t answers_ = 0;            // of the server, errors too, warm-up or not
  std::string_view closing_cause_;     // of the connection that is being closed; else empty
  std::optional<Time> untaken_since_;  // when a request was not taken, if there was no answer since
  std::optional<Error> failure_;
  std::optional<Time> last_answer_;
  Measurements measured_;
  Measurements second_;
};

}  // namespace sluice
