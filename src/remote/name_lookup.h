// NameLookup: looks up names without keeping an event loop waiting.
#pragma once

#include <condition_variable>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <thread>

#include "net/connect.h"
#include "net/endpoint.h"
#include "net/event_loop.h"
#include "sluice/result.h"

namespace sluice {

// The system's resolver waits for answers of others, so it is asked by a thread of its own, which
// is started for the first name. Addresses and paths need no looking up.
//
// Thread safety: any thread. Loops outlive it. The destructor never waits for the resolver: a name
// that is being looked up then is abandoned together with its thread. An idle thread is joined.
class NameLookup {
 public:
  using Found = std::function<void(Result<ServerAddress>)>;
  using Resolver = std::function<Result<ServerAddress>(const Endpoint& endpoint)>;

  explicit NameLookup(Resolver resolver = FindServer);
  NameLookup(const NameLookup&) = delete;
  NameLookup& operator=(const NameLookup&) = delete;
  ~NameLookup();

  // Whether Find has nothing to wait for.
  static bool IsAddress(const Endpoint& endpoint);

  // Calls `found` in the thread of the loop, unless `interest` is gone by then.
  void Find(const Endpoint& endpoint, EventLoop& loop, const std::weak_ptr<int>& interest,
            Found found);

 private:
  struct Question {
    Endpoint endpoint;
    EventLoop* loop = nullptr;
    std::weak_ptr<int> interest;
    Found found;
  };

  // What the thread shares, which may outlive this.
  struct Shared {
    Resolver resolver;
    std::mutex mutex;
    std::condition_variable changed;
    std::deque<Question> questions;  // under the mutex
    bool is_resolving = false;       // under the mutex
    bool is_ended = false;           // under the mutex
  };

  static void Run(Shared& shared);

  std::shared_ptr<Shared> shared_;
  std::thread thread_;  // under the mutex of shared_; started by the first Find
};

}  // namespace sluice
