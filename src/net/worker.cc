#include "net/worker.h"

#include <boost/asio/post.hpp>
#include <chrono>
#include <utility>

namespace sluice {
namespace {

namespace asio = boost::asio;

// What is read at once at most: a hundred small requests of HTTP/2, and then some.
constexpr std::size_t kScratchBytes = std::size_t{128} << 10U;

// How often deadlines are looked at, and how much later than asked they may be met.
constexpr std::chrono::milliseconds kTick{250};

}  // namespace

Worker::Worker(const Bounds& bounds, const Deadlines& deadlines, std::vector<Services> services)
    : bounds_(bounds),
      deadlines_(deadlines),
      scratch_(kScratchBytes),
      services_(std::move(services)),
      counts_(services_.size()) {}

Worker::~Worker() { Stop(); }

void Worker::Start() {
  Tick();
  thread_ = std::thread([this] { context_.run(); });
}

void Worker::Adopt(Accepted accepted, Seats::Seat seat, std::size_t listener) {
  ++counts_[listener];
  Connection::Arrival owned{asio::posix::stream_descriptor(context_, accepted.socket),
                            std::move(accepted.peer), std::move(seat)};
  asio::post(context_, [this, owned = std::move(owned), listener]() mutable {
    // Its socket closes with this handler.
    if (stopped_) {
      --counts_[listener];
      return;
    }
    const auto connection =
        std::make_shared<Connection>(*this, std::move(owned), services_[listener]);
    connection->place = connections_.size();
    connection->listener = listener;
    connections_.push_back(connection);
    connection->Start();
    if (draining_) connection->Drain();
  });
}

void Worker::Remove(Connection& connection) {
  std::swap(connections_[connection.place], connections_.back());
  connections_[connection.place]->place = connection.place;
  asio::post(context_, [gone = std::move(connections_.back())] {});
  connections_.pop_back();
  --counts_[connection.listener];
}

std::size_t Worker::connection_count() const {
  std::size_t count = 0;
  for (const auto& each : counts_) count += each.load();
  return count;
}

void Worker::WarnOfDrain() {
  asio::post(context_, [this] {
    const auto all = connections_;
    for (const auto& connection : all) connection->WarnOfDrain();
  });
}

void Worker::Drain() {
  asio::post(context_, [this] {
    draining_ = true;
    const auto all = connections_;
    for (const auto& connection : all) connection->Drain();
  });
}

void Worker::Stop() {
  if (!thread_.joinable()) return;
  asio::post(context_, [this] {
    for (const auto& connection : connections_) connection->Close();
    // A tick whose time has come already is not cancelled any more, but finds this.
    stopped_ = true;
    timer_.cancel();
  });
  thread_.join();
  for (const auto& connection : connections_) --counts_[connection->listener];
  connections_.clear();
}

void Worker::Tick() {
  // A service that hears of one that is gone may finish with others.
  const auto all = connections_;
  for (const auto& connection : all) connection->CheckDeadline(now_);
  now_ += kTick;
  timer_.expires_after(kTick);
  timer_.async_wait([this](const boost::system::error_code& error) {
    if (!error && !stopped_) Tick();
  });
}

}  // namespace sluice
