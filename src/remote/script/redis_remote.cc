#include "remote/script/redis_remote.h"

#include <cassert>

#include "remote/script/redis_call.h"

namespace sluice {

Result<std::shared_ptr<const RemoteTerms>> RedisLimits::Bind(const Limit& limit) const {
  Result<RemoteLimit> made = RemoteLimit::Make(limit);
  if (!made.ok()) return made.error();
  return std::shared_ptr<const RemoteTerms>(std::make_shared<RedisTerms>(std::move(made).value()));
}

void RedisLimits::SetSecret(const FleetSecret& secret) {
  const std::lock_guard guard(mutex_);
  if (!held_.empty() && held_.back() == secret) return;
  held_.push_back(secret);
  secret_.store(&held_.back(), std::memory_order_release);
}

RedisRemote::RedisRemote(RedisClient& client, Clock& clock, RedisRemoteOptions options,
                         RedisObserver* observer)
    : parts_{.legs = {.client = client, .clock = clock},
             .options = std::move(options),
             .observer = observer} {
  assert(parts_.options.prefix.find_first_of("{}") == std::string::npos);
}

bool RedisRemote::Decide(RemoteCall& call, RemoteListener& listener) {
  auto* way = dynamic_cast<RedisCall*>(call.way.get());
  if (way == nullptr || !way->IsOf(parts_)) {
    auto made = std::make_unique<RedisCall>(parts_);
    way = made.get();
    call.way = std::move(made);
  }
  const bool is_taken = way->Begin(call, listener);
  if (!is_taken) parts_.legs.counts.not_taken.Add(1);
  return is_taken;
}

}  // namespace sluice
