#include "net/worker.h"

#include <malloc.h>

#include <algorithm>
#include <chrono>
#include <utility>

namespace sluice {
namespace {

// What is read at once at most: a hundred small requests of HTTP/2, and then some.
constexpr std::size_t kScratchBytes = std::size_t{128} << 10U;

// How often deadlines are looked at, and how much later than asked they may be met.
constexpr std::chrono::milliseconds kTick{250};

// A connection retires up to one in so many parts of its age earlier.
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

void Worker::Adopt(Accepted accepted, Seats::Seat seat, std::size_t listener) {
  ++counts_[listener];
  const auto arrival = std::make_shared<Connection::Arrival>(
      Connection::Arrival{Socket(accepted.socket), std::move(accepted.peer), std::move(seat)});
  loop_.Post([this, arrival, listener] {
    // Its socket closes with this call.
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

void Worker::MakeRoom(std::vector<std::uint64_t> seats) {
  loop_.Post([this, seats = std::move(seats)] {
    const auto all = connections_;
    for (const auto& connection : all) {
      if (std::ranges::find(seats, connection->seat().id()) != seats.end()) {
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
  // The allocator keeps what lies below memory that is still in use, so a flood that is over would
  // be paid for until the server ends.
  if (budget_.TakeFall()) malloc_trim(0);
  // A service that hears of one that is gone may finish with others.
  const auto all = connections_;
  for (const auto& connection : all) connection->CheckDeadline(now_);
  now_ += kTick;
}

}  // namespace sluice
