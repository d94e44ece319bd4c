// NameLookup: resolves host names without blocking an event loop.
#pragma once

#include <condition_variable>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <thread>

#include "net/loop/connect.h"
#include "net/loop/endpoint.h"
#include "net/loop/event_loop.h"
#include "sluice/result.h"

namespace sluice {

// The system's resolver blocks, so a separate thread calls it. The thread starts with the first
// lookup. IP addresses and socket paths need no lookup.
//
// Thread safety: every method may be called from any thread. The loops must outlive this object.
// The destructor never waits for the resolver: if a lookup is in progress, its thread is detached
// and the result is dropped. An idle thread is joined.
class NameLookup {
 public:
  using Found = std::function<void(Result<ServerAddress>)>;
  using Resolver = std::function<Result<ServerAddress>(const Endpoint& endpoint)>;

  explicit NameLookup(Resolver resolver = FindServer);
  NameLookup(const NameLookup&) = delete;
  NameLookup& operator=(const NameLookup&) = delete;
  ~NameLookup();

  // Returns whether the endpoint needs no lookup, so that it can be resolved without blocking.
  static bool IsAddress(const Endpoint& endpoint);

  // Calls `found` on the loop's thread, unless `interest` has expired by then.
  void Find(const Endpoint& endpoint, EventLoop& loop, const std::weak_ptr<int>& interest,
            Found found);

 private:
  struct Question {
    Endpoint endpoint;
    EventLoop* loop = nullptr;
    std::weak_ptr<int> interest;
    Found found;
  };

  // State shared with the thread. The thread may outlive the NameLookup.
  struct Shared {
    Resolver resolver;
    std::mutex mutex;
    std::condition_variable changed;
    std::deque<Question> questions;  // guarded by mutex
    bool is_resolving = false;       // guarded by mutex
    bool is_ended = false;           // guarded by mutex
  };

  static void Run(Shared& shared);

  std::shared_ptr<Shared> shared_;
  std::thread thread_;  // guarded by shared_->mutex; started by the first Find
};

}  // namespace sluice
