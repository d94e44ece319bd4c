#include "remote/name_lookup.h"

#include <arpa/inet.h>
#include <netinet/in.h>

#include <utility>
#include <variant>

namespace sluice {

NameLookup::~NameLookup() {
  {
    const std::lock_guard lock(mutex_);
    is_ended_ = true;
  }
  changed_.notify_all();
  if (thread_.joinable()) thread_.join();
}

bool NameLookup::IsAddress(const Endpoint& endpoint) {
  const auto* const tcp = std::get_if<TcpEndpoint>(&endpoint);
  if (tcp == nullptr) return true;
  in6_addr address{};
  return inet_pton(AF_INET, tcp->host.c_str(), &address) == 1 ||
         inet_pton(AF_INET6, tcp->host.c_str(), &address) == 1;
}

void NameLookup::Find(const Endpoint& endpoint, EventLoop& loop, const std::weak_ptr<int>& interest,
                      Found found) {
  const std::lock_guard lock(mutex_);
  questions_.push_back({endpoint, &loop, interest, std::move(found)});
  if (!thread_.joinable()) thread_ = std::thread([this] { Run(); });
  changed_.notify_all();
}

void NameLookup::Run() {
  std::unique_lock lock(mutex_);
  for (;;) {
    changed_.wait(lock, [this] { return is_ended_ || !questions_.empty(); });
    if (is_ended_) return;
    Question question = std::move(questions_.front());
    questions_.pop_front();
    lock.unlock();
    Result<ServerAddress> address = FindServer(question.endpoint);
    question.loop->Post([interest = question.interest, found = std::move(question.found),
                         address = std::move(address)] {
      if (!interest.expired()) found(address);
    });
    lock.lock();
  }
}

}  // namespace sluice
