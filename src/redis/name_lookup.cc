#include "redis/name_lookup.h"

#include <arpa/inet.h>
#include <netinet/in.h>

#include <utility>
#include <variant>

namespace sluice {

NameLookup::NameLookup(Resolver resolver) : shared_(std::make_shared<Shared>()) {
  shared_->resolver = std::move(resolver);
}

NameLookup::~NameLookup() {
  std::unique_lock lock(shared_->mutex);
  shared_->is_ended = true;
  shared_->changed.notify_all();
  if (!thread_.joinable()) return;
  if (shared_->is_resolving) {
    thread_.detach();
  } else {
    lock.unlock();
    thread_.join();
  }
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
  const std::lock_guard lock(shared_->mutex);
  shared_->questions.push_back({endpoint, &loop, interest, std::move(found)});
  if (!thread_.joinable()) thread_ = std::thread([shared = shared_] { Run(*shared); });
  shared_->changed.notify_all();
}

void NameLookup::Run(Shared& shared) {
  std::unique_lock lock(shared.mutex);
  for (;;) {
    shared.changed.wait(lock, [&] { return shared.is_ended || !shared.questions.empty(); });
    if (shared.is_ended) return;
    Question question = std::move(shared.questions.front());
    shared.questions.pop_front();
    shared.is_resolving = true;
    lock.unlock();
    Result<ServerAddress> address = shared.resolver(question.endpoint);
    lock.lock();
    shared.is_resolving = false;
    // Post while holding the mutex: once the destructor has run, the loop may be destroyed, too.
    if (shared.is_ended) return;
    question.loop->Post([interest = question.interest, found = std::move(question.found),
                         address = std::move(address)] {
      if (!interest.expired()) found(address);
    });
  }
}

}  // namespace sluice
