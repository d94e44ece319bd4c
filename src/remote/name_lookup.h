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
// Thread safety: any thread. Loops outlive it. It ends once the name under way has been looked up.
class NameLookup {
 public:
  using Found = std::function<void(Result<ServerAddress>)>;

  NameLookup() = default;
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

  void Run();

  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Question> questions_;  // under the mutex
  bool is_ended_ = false;           // under the mutex
  std::thread thread_;              // begun under the mutex
};

}  // namespace sluice
