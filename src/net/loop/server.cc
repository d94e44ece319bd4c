#include "net/loop/server.h"

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

// Pause before accepting again after the system ran out of descriptors or the bound on connections
// was reached. It is also the minimum time that a connection must have waited for its peer before
// it is evicted.
constexpr std::chrono::milliseconds kPause{50};

// Maximum number of connections to accept before the event loop serves existing ones.
constexpr int kMaxAccepted = 64;

// Maximum number of connections to evict at a time.
constexpr std::size_t kMaxLeavers = 64;

}  // namespace

// Accepts connections from one socket, on the first worker's thread.
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

  // Accepts the connections that wait already, and closes the socket. An inherited socket stays
  // open, and its waiting connections are left to the next process that listens.
  void Drain() {
    Post([this] {
      const bool is_ours = listening_.origin() == ListeningSocket::Origin::kOpened;
      // Bounded by the length of the accept queue, because new connections may keep coming.
      for (int i = 0; is_ours && i < SOMAXCONN / kMaxAccepted; ++i) {
        if (AcceptSome() != Left::kSome) break;
      }
      ReleaseMemory();
      if (listening_.origin() == ListeningSocket::Origin::kOpened) listening_.Close();
    });
  }

  // Stops accepting.
  void Stop() {
    Post([this] { ReleaseMemory(); });
  }

 private:
  // Posts the first of the final calls (Drain, Stop); later ones have no effect.
  template <typename Last>
  void Post(Last last) {
    loop_.Post([this, last = std::move(last)] {
      if (!std::exchange(stopped_, true)) last();
    });
  }

  void ReleaseMemory() {
    loop_.Unwatch(listening_.descriptor());
    pause_.Cancel();
  }

  // Whether connections are left in the accept queue; kForLater: some may be, but none can be
  // accepted now.
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
    const bool is_full = left == Left::kForLater && !server_.limits_.HasRoom(audience_);
    if (!is_full) max_leavers_ = 0;
    if (left != Left::kForLater || makes_room_) return;
    makes_room_ = is_full && IsAnyoneWaiting();
    if (makes_room_) MakeRoom();
    pause_.SetAfter(kPause);
  }

  Left AcceptSome() {
    for (int i = 0; i < kMaxAccepted; ++i) {
      if (!server_.limits_.HasRoom(audience_)) return Left::kForLater;
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

  // Returns whether a connection waits to be accepted.
  [[nodiscard]] bool IsAnyoneWaiting() const {
    pollfd look{.fd = listening_.descriptor(), .events = POLLIN, .revents = 0};
    return poll(&look, 1, 0) == 1 && (look.revents & POLLIN) != 0;
  }

  // Evicts connections, twice as many each time until there is room. The first call only makes the
  // workers update the slots: by the data of the last tick it would evict connections that were
  // idle then, and none of the newer ones that cause the shortage.
  void MakeRoom() {
    std::vector<std::uint64_t> chosen;
    if (max_leavers_ > 0) chosen = server_.limits_.ChooseToLeave(audience_, max_leavers_);
    if (max_leavers_ == 0 || !chosen.empty()) {
      max_leavers_ = std::clamp<std::size_t>(2 * max_leavers_, 1, kMaxLeavers);
    }
    for (const auto& worker : server_.workers_) worker->MakeRoom(chosen);
  }

  // Returns whether the error concerns a single connection. Otherwise the system is out of
  // resources.
  static bool IsOfOne(int error) {
    return error == ECONNABORTED || error == EINTR || error == EPROTO || error == EPERM;
  }

  [[nodiscard]] PeerKind KindOf(const std::string& address) const {
    const auto& is_proxy = server_.workers_.front()->ListenerPolicyOf(index_).is_proxy;
    return is_proxy && is_proxy(address) ? PeerKind::kTrustedProxy : PeerKind::kClient;
  }

  void Place(Accepted accepted) {
    const std::string& address = accepted.peer.address;
    std::optional<ConnectionLimits::Slot> slot =
        server_.limits_.Take(audience_, address, KindOf(address));
    if (!slot) {
      close(accepted.socket);
      return;
    }
    const auto fewest = std::ranges::min_element(
        server_.workers_, {}, [](const auto& worker) { return worker->connection_count(); });
    (*fewest)->Adopt(std::move(accepted), std::move(*slot), index_);
  }

  Server& server_;
  std::size_t index_;
  Audience audience_;
  ListeningSocket& listening_;
  EventLoop& loop_;
  LoopTimer pause_;
  std::size_t max_leavers_ = 0;  // maximum number to evict next; 0: update the slots first
  bool makes_room_ = false;      // true from a call of MakeRoom to the end of the pause after it
  bool stopped_ = false;
};

Server::Server(const Options& options, std::vector<ListeningSocket> sockets,
               const MakeServices& make)
    : limits_(options.bounds), budget_(options.bounds.bytes), sockets_(std::move(sockets)) {
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
  // The first worker goes first, because it runs the acceptors, which pass connections to the
  // others.
  for (const auto& worker : workers_) worker->Stop();
}

}  // namespace sluice
