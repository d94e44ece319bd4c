#include "net/server.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdint>
#include <utility>

namespace sluice {
namespace {

// How long to wait before trying again when no more connections can be had: the system has no
// descriptors left, or the bound is reached. It is also how long a connection must at least have
// waited for its peer before it is evicted.
constexpr std::chrono::milliseconds kPause{50};

// How many are accepted before those are served that are there already.
constexpr int kAcceptedMost = 64;

// How many connections leave at once at most to make room.
constexpr std::size_t kLeaversMost = 64;

}  // namespace

// Accepts from one socket, on the thread of the first worker.
class Server::Acceptor final : private EventLoop::Watcher {
 public:
  Acceptor(Server& server, std::size_t index, Audience audience)
      : server_(server),
        index_(index),
        audience_(audience),
        listening_(server.sockets_[index]),
        loop_(server.workers_.front()->loop()),
        pause_(loop_, [this] { OnPauseEnd(); }) {}

  [[nodiscard]] Audience audience() const { return audience_; }

  void Start() {
    const int descriptor = listening_.descriptor();
    fcntl(descriptor, F_SETFL, fcntl(descriptor, F_GETFL) | O_NONBLOCK);
    loop_.Watch(descriptor, *this);
  }

  // Accepts no more than is there already, and refuses the rest. What was handed over stays open,
  // and those who wait there wait for whoever listens next.
  void Drain() {
    Post([this] {
      const bool is_ours = listening_.origin() == ListeningSocket::Origin::kOpened;
      // No more rounds than those take who are there already.
      for (int i = 0; is_ours && i < SOMAXCONN / kAcceptedMost; ++i) {
        if (AcceptSome() != Left::kSome) break;
      }
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
    loop_.Post([this, last = std::move(last)] {
      if (!std::exchange(stopped_, true)) last();
    });
  }

  void LetGo() {
    loop_.Unwatch(listening_.descriptor());
    pause_.Cancel();
  }

  // What became of those who wait to be accepted.
  enum class Left : std::uint8_t { kNone, kSome, kForLater };

  void OnReady(const EventLoop::Readiness& /*ready*/) override { Accept(); }
  void OnAgain() override { Accept(); }

  void OnPauseEnd() {
    makes_room_ = false;
    Accept();
  }

  void Accept() {
    if (stopped_) return;
    const Left left = AcceptSome();
    if (left == Left::kSome) loop_.Again(*this);
    const bool is_full = left == Left::kForLater && !server_.seats_.HasRoom(audience_);
    if (!is_full) max_leavers_ = 0;
    if (left != Left::kForLater || makes_room_) return;
    makes_room_ = is_full && IsAnyoneWaiting();
    if (makes_room_) MakeRoom();
    pause_.SetAfter(kPause);
  }

  Left AcceptSome() {
    for (int i = 0; i < kAcceptedMost; ++i) {
      if (!server_.seats_.HasRoom(audience_)) return Left::kForLater;
      AcceptOutcome outcome = AcceptOne(listening_.descriptor());
      if (outcome.error == EAGAIN) return Left::kNone;
      if (outcome.error == 0) {
        Place(std::move(outcome.accepted));
      } else if (!IsOfOne(outcome.error)) {
        return Left::kForLater;
      }
    }
    return Left::kSome;
  }

  // Whether somebody waits to be accepted.
  [[nodiscard]] bool IsAnyoneWaiting() const {
    pollfd look{.fd = listening_.descriptor(), .events = POLLIN, .revents = 0};
    return poll(&look, 1, 0) == 1 && (look.revents & POLLIN) != 0;
  }

  // Evicts connections, more of them each time that this was not enough. The first call only finds
  // out what all of them wait for: what was true at the last tick would have those evicted that
  // were idle then, and none of those that have come since and keep everybody else waiting.
  void MakeRoom() {
    std::vector<std::uint64_t> chosen;
    if (max_leavers_ > 0) chosen = server_.seats_.ChooseToLeave(audience_, max_leavers_);
    if (max_leavers_ == 0 || !chosen.empty()) {
      max_leavers_ = std::clamp<std::size_t>(2 * max_leavers_, 1, kLeaversMost);
    }
    for (const auto& worker : server_.workers_) worker->MakeRoom(chosen);
  }

  // Whether it is wrong with that connection alone. Otherwise the system has none to give.
  static bool IsOfOne(int error) {
    return error == ECONNABORTED || error == EINTR || error == EPROTO || error == EPERM;
  }

  [[nodiscard]] PeerKind KindOf(const std::string& address) const {
    const auto& is_proxy = server_.workers_.front()->EntranceOf(index_).is_proxy;
    return is_proxy && is_proxy(address) ? PeerKind::kTrustedProxy : PeerKind::kClient;
  }

  void Place(Accepted accepted) {
    const std::string& address = accepted.peer.address;
    std::optional<Seats::Seat> seat = server_.seats_.Take(audience_, address, KindOf(address));
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
  EventLoop& loop_;
  LoopTimer pause_;
  std::size_t max_leavers_ = 0;  // how many are evicted when there is no room
  bool makes_room_ = false;      // from a call of MakeRoom to the end of the pause after it
  bool stopped_ = false;
};

Server::Server(const Options& options, std::vector<ListeningSocket> sockets,
               const MakeServices& make)
    : seats_(options.bounds), budget_(options.bounds.bytes), sockets_(std::move(sockets)) {
  for (std::size_t worker = 0; worker < options.workers; ++worker) {
    const auto make_all = [&](EventLoop& loop) {
      std::vector<Services> services;
      for (std::size_t listener = 0; listener < sockets_.size(); ++listener) {
        services.push_back(make({worker, listener, loop}));
      }
      return services;
    };
    workers_.push_back(std::make_unique<Worker>(
        Worker::Options{options.bounds, options.deadlines, options.seed + worker}, budget_,
        make_all));
  }
  for (std::size_t i = 0; i < sockets_.size(); ++i) {
    const Audience audience = options.operators == i ? Audience::kOperators : Audience::kClients;
    acceptors_.push_back(std::make_unique<Acceptor>(*this, i, audience));
  }
}

Server::~Server() { Stop(); }

Result<Done> Server::Start() {
  for (const auto& acceptor : acceptors_) acceptor->Start();
  for (const auto& worker : workers_) {
    if (!worker->loop().is_usable()) {
      return Error{"cannot serve: the system gives no descriptors to wait for connections with"};
    }
  }
  for (const auto& worker : workers_) worker->Start();
  return Done{};
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
