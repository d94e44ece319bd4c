// LoadLoop: one thread of the load generator.
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

// State shared by the threads of a run.
//
// Thread safety: all methods may be called from any thread.
class LoadShare {
 public:
  void Stop() { stopped_.store(true, std::memory_order_relaxed); }
  [[nodiscard]] bool stopped() const { return stopped_.load(std::memory_order_relaxed); }

  void AddSecond(const Measurements& part);
  // Returns the measurements added since the last call.
  Measurements TakeSecond();

 private:
  std::atomic<bool> stopped_{false};
  std::mutex mutex_;
  Measurements second_;  // guarded by mutex_
};

// Drives one slice of a plan's connections.
//
// Thread safety: none. The constructor's arguments must outlive it; `watcher` is null in all loops
// but one.
//
// Invariants
//   (1) Every request is measured exactly once: as answered, or as an error with a cause. Requests
//       that were due before the end of the warm-up are not measured.
//   (2) Latency runs from the time a request was due to the time its answer was read.
//   (3) In the steady state no request allocates memory.
//   (4) It ends, whatever the server does. If requests are in flight on a connection and none is
//       answered within the timeout, they all become errors. If no connection takes requests for as
//       long as the timeout, the run fails. A timeout after the last request was due, everything
//       left becomes an error.
class LoadLoop final : private LoadSession::Listener {
 public:
  LoadLoop(const LoadPlan& plan, TaskSlice slice, Clock& clock, LoadShare& share,
           LoadWatcher* watcher);

  // Opens the connections.
  Result<Done> Open();
  // Runs its slice of the load to the end.
  Result<Done> Run(Time begin);

  [[nodiscard]] const Measurements& measured() const { return measured_; }
  // When the last measured answer arrived.
  [[nodiscard]] std::optional<Time> last_answer() const { return last_answer_; }

 private:
  void OnAnswer(Answer answer, Time intended, std::string_view cause) override;

  // Send all due requests: Fill on one connection (closed loop), SendDue on all in turn (open
  // loop).
  void Fill(LoadConnection& connection);
  void SendDue();
  void Send(LoadConnection& connection, Time intended);
  // Returns the next connection in turn that takes another request, or null if there is none.
  LoadConnection* FindRoom();
  void NextTurn() { turn_ = turn_ + 1 == connections_.size() ? 0 : turn_ + 1; }

  // Waits for socket events, at most until the next request or tick is due.
  void Wait();
  void Handle(LoadConnection& connection);
  void MoveLastAnswer(bool is_lost);
  void Close(LoadConnection& connection, std::string_view cause);
  // Closes a connection that the server closed or left without an answer, and opens another.
  void Renew(LoadConnection& connection, std::string_view cause);
  void Reopen(LoadConnection& connection);
  // Handles the result of opening: sends on the connection if it is open. If it failed, Tick
  // retries.
  void GoOn(LoadConnection& connection, const Result<LoadConnection::Opening>& opening);

  // Runs ten times per second: checks timeouts, reopens connections, notifies the watcher.
  void Tick();
  void CheckConnections();
  void TellSecond();
  [[nodiscard]] bool IsOver() const;
  // Counts requests without an answer as errors. Returns an error if the server never answered.
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
  std::size_t open_count_ = 0;  // open connections
  Time open_at_{};              // while none is open: when the last one closed
  std::size_t in_flight_ = 0;
  std::size_t answers_ = 0;         // from the server, including errors and warm-up
  std::string_view closing_cause_;  // while a connection is being closed, else empty
  // When the server first did not take a request, if it has answered none since.
  std::optional<Time> untaken_since_;
  std::optional<Error> failure_;
  std::optional<Time> last_answer_;
  Measurements measured_;
  Measurements second_;
};

}  // namespace sluice
