#include "net/server.h"

#include <unistd.h>

#include <algorithm>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <cerrno>
#include <chrono>
#include <utility>

namespace sluice {
namespace {

namespace asio = boost::asio;

// How long to wait before trying again when no more connections can be had: the system has no
// descriptors left, or the bound is reached.
constexpr std::chrono::milliseconds kPause{50};

}  // namespace

// Accepts from one socket, on the thread of the first worker.
class Server::Acceptor {
 public:
  Acceptor(Server& server, std::size_t index, Audience audience)
      : server_(server),
        index_(index),
        audience_(audience),
        listening_(server.sockets_[index]),
        socket_(server.workers_.front()->context()),
        pause_(server.workers_.front()->context()) {}

  [[nodiscard]] Audience audience() const { return audience_; }

  void Start() {
    socket_.assign(listening_.descriptor());
    asio::co_spawn(
        server_.workers_.front()->context(), [this] { return Run(); }, asio::detached);
  }

  // Accepts no more than is there already, and refuses the rest. What was handed over stays open,
  // and those who wait there wait for whoever listens next.
  void Drain() {
    Post([this] {
      if (listening_.origin() == ListeningSocket::Origin::kOpened) AcceptSome();
      LetGo();
      if (listening_.origin() == ListeningSocket::Origin::kOpened) listening_.Close();
    });
  }

  // Accepts nothing more.
  void Stop() {
    Post([this] { LetGo(); });
  }

 private:
  // Once, whatever is called.
  template <typename Last>
  void Post(Last last) {
    asio::post(server_.workers_.front()->context(), [this, last = std::move(last)] {
      if (!std::exchange(stopped_, true)) last();
    });
  }

  void LetGo() {
    socket_.release();  // the descriptor is the listening socket's
    pause_.cancel();
  }

  asio::awaitable<void> Run() {
    boost::system::error_code error;
    while (!stopped_) {
      co_await socket_.async_wait(asio::posix::stream_descriptor::wait_read,
                                  asio::redirect_error(asio::use_awaitable, error));
      if (error || stopped_) co_return;
      if (AcceptSome()) continue;
      pause_.expires_after(kPause);
      co_await pause_.async_wait(asio::redirect_error(asio::use_awaitable, error));
    }
  }

  // Accepts what is there. False if there is more than can be had.
  bool AcceptSome() {
    while (server_.seats_.HasRoom(audience_)) {
      AcceptOutcome outcome = AcceptOne(listening_.descriptor());
      if (outcome.error == EAGAIN) return true;
      if (outcome.error == EMFILE || outcome.error == ENFILE || outcome.error == ENOBUFS ||
          outcome.error == ENOMEM) {
        return false;
      }
      // Whatever else is wrong is wrong with that connection alone.
      if (outcome.error == 0) Place(std::move(outcome.accepted));
    }
    return false;
  }

  void Place(Accepted accepted) {
    std::optional<Seats::Seat> seat = server_.seats_.Take(audience_, accepted.peer.address);
    if (!seat) {
      close(accepted.socket);
      return;
    }
    const auto fewest = std::ranges::min_element(
        server_.workers_, {}, [](const auto& worker) { return worker->connection_count(); });
    (*fewest)->Adopt(std::move(accepted), std::move(*seat), index_);
  }

  Server& server_;
  std::size_t index_;
  Audience audience_;
  ListeningSocket& listening_;
  asio::posix::stream_descriptor socket_;
  asio::steady_timer pause_;
  bool stopped_ = false;
};

Server::Server(const Options& options, std::vector<ListeningSocket> sockets,
               const MakeServices& make)
    : seats_(options.bounds), sockets_(std::move(sockets)) {
  for (std::size_t worker = 0; worker < options.workers; ++worker) {
    std::vector<Services> services;
    for (std::size_t listener = 0; listener < sockets_.size(); ++listener) {
      services.push_back(make(worker, listener));
    }
    workers_.push_back(
        std::make_unique<Worker>(options.bounds, options.deadlines, std::move(services)));
  }
  for (std::size_t i = 0; i < sockets_.size(); ++i) {
    const Audience audience = options.operators == i ? Audience::kOperators : Audience::kClients;
    acceptors_.push_back(std::make_unique<Acceptor>(*this, i, audience));
  }
}

Server::~Server() { Stop(); }

void Server::Start() {
  for (const auto& acceptor : acceptors_) acceptor->Start();
  for (const auto& worker : workers_) worker->Start();
}

void Server::WarnOfDrain() {
  for (const auto& worker : workers_) worker->WarnOfDrain();
}

void Server::Drain() {
  for (const auto& acceptor : acceptors_) {
    if (acceptor->audience() == Audience::kClients) acceptor->Drain();
  }
  for (const auto& worker : workers_) worker->Drain();
}

std::size_t Server::ConnectionCount(std::size_t listener) const {
  std::size_t count = 0;
  for (const auto& worker : workers_) count += worker->ConnectionCount(listener);
  return count;
}

void Server::Stop() {
  for (const auto& acceptor : acceptors_) acceptor->Stop();
  // The first worker runs the acceptors, which hand connections to the others.
  for (const auto& worker : workers_) worker->Stop();
}

}  // namespace sluice
