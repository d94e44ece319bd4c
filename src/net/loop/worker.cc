#include "net/loop/worker.h"

#include <malloc.h>

#include <algorithm>
#include <chrono>
#include <utility>

namespace sluice {
namespace {

// Maximum bytes per read: room for more than a hundred small HTTP/2 requests.
constexpr std::size_t kScratchBytes = std::size_t{128} << 10U;

// Interval between checks of the deadlines, and thus how late they may be detected.
constexpr std::chrono::milliseconds kTick{250};

// A connection retires earlier by a random time of at most its maximum age divided by this.
constexpr std::int64_t kAgeJitter = 10;

}  // namespace

Worker::Worker(const Options& options, ByteBudget& budget, const MakeServices& make)
    : bounds_(options.bounds),
      deadlines_(options.deadlines),
      operator_deadlines_(options.deadlines),
      random_(options.seed),
      budget_(budget),
      scratch_(kScratchBytes),
      services_(make(loop_)),
      counts_(services_.size()) {
  operator_deadlines_.idle = std::min(deadlines_.idle, kOperatorIdle);
  operator_deadlines_.body = std::min(deadlines_.body, kOperatorBody);
}

Worker::~Worker() { Stop(); }

void Worker::Start() {
  Tick();
  timer_.SetEvery(kTick);
  thread_ = std::thread([this] { loop_.Run(); });
}

void Worker::Adopt(Accepted accepted, ConnectionLimits::Slot slot, std::size_t listener) {
  ++counts_[listener];
  const auto arrival = std::make_shared<Connection::Arrival>(
      Connection::Arrival{Socket(accepted.socket), std::move(accepted.peer), std::move(slot)});
  loop_.Post([this, arrival, listener] {
    // The arrival's socket is closed when this call is destroyed.
    if (stopped_) {
      --counts_[listener];
      return;
    }
    const auto connection =
        std::make_shared<Connection>(*this, std::move(*arrival), services_[listener]);
    connection->place = connections_.size();
    connection->listener = listener;
    connection->retires_at = DrawRetirement();
    connections_.push_back(connection);
    connection->Start();
    if (draining_) connection->Drain();
  });
}

void Worker::Remove(Connection& connection) {
  std::swap(connections_[connection.place], connections_.back());
  connections_[connection.place]->place = connection.place;
  loop_.Post([gone = std::move(connections_.back())] {});
  connections_.pop_back();
  --counts_[connection.listener];
}

Nanos Worker::DrawRetirement() {
  if (deadlines_.age == Nanos(0)) return Nanos::max();
  const Nanos sooner{
      std::uniform_int_distribution<std::int64_t>(0, deadlines_.age.count() / kAgeJitter)(random_)};
  return now_ + deadlines_.age - sooner;
}

void Worker::MakeRoom(std::vector<std::uint64_t> slots) {
  loop_.Post([this, slots = std::move(slots)] {
    const auto all = connections_;
    for (const auto& connection : all) {
      if (std::ranges::find(slots, connection->slot().id()) != slots.end()) {
        connection->LeaveIfWaiting();
      }
      connection->UpdateSeat(now_);
    }
  });
}

std::size_t Worker::connection_count() const {
  std::size_t count = 0;
  for (const auto& each : counts_) count += each.load();
  return count;
}

void Worker::WarnOfDrain() {
  loop_.Post([this] {
    const auto all = connections_;
    for (const auto& connection : all) connection->WarnOfDrain();
  });
}

void Worker::Drain() {
  loop_.Post([this] {
    draining_ = true;
    const auto all = connections_;
    for (const auto& connection : all) connection->Drain();
  });
}

void Worker::Stop() {
  if (!thread_.joinable()) return;
  loop_.Post([this] {
    for (const auto& connection : connections_) connection->Close();
    stopped_ = true;
    loop_.End();
  });
  thread_.join();
  for (const auto& connection : connections_) --counts_[connection->listener];
  connections_.clear();
}

void Worker::ReclaimMemory() {
  if (std::exchange(has_reclaimed_, true)) return;
  for (const auto& connection : connections_) connection->ReleaseMemory();
}

void Worker::Tick() {
  has_reclaimed_ = false;
  // The allocator keeps free memory below blocks that are in use, so without this the memory of a
  // past flood would never return to the system.
  if (budget_.TakeFall()) malloc_trim(0);
  // A copy, because a service notified of a closed stream may finish exchanges of other
  // connections, which may then leave connections_.
  const auto all = connections_;
  for (const auto& connection : all) connection->CheckDeadline(now_);
  now_ += kTick;
}

}  // namespace sluice
