#include "redis/redis_cluster.h"

#include <algorithm>
#include <iterator>
#include <utility>

namespace sluice {
namespace {

constexpr Nanos kRefreshPatience = std::chrono::seconds{1};

bool IsRedirect(RedisErrorKind kind) {
  return kind == RedisErrorKind::kMoved || kind == RedisErrorKind::kAsk;
}

// Returns whether the error is expected to go away by itself soon.
bool IsPassing(RedisErrorKind kind) {
  switch (kind) {
    case RedisErrorKind::kTryAgain:
    case RedisErrorKind::kClusterDown:
    case RedisErrorKind::kLoading:
    case RedisErrorKind::kMasterDown:
    case RedisErrorKind::kReadOnly:
      return true;
    default:
      return false;
  }
}

std::string HostOf(const RedisNode& node) {
  const auto* const tcp = std::get_if<TcpEndpoint>(&node.endpoint());
  return tcp == nullptr ? std::string() : tcp->host;
}

}  // namespace

RedisCluster::RedisCluster(const RedisParts& parts, RedisClusterSettings settings)
    : parts_(parts),
      settings_(std::move(settings)),
      refresh_timer_(parts.scene.loop, [this] { Refresh(); }),
      waiting_timer_(parts.scene.loop, [this] { SendWaiting(); }),
      refresh_pacing_(settings_.refresh) {
  AppendRedisCommand({"CLUSTER", "SLOTS"}, refresh_.bytes);
  for (const TcpEndpoint& seed : settings_.seeds) NodeAt(seed);
  Refresh();
}

RedisCluster::~RedisCluster() {
  is_ending_ = true;
  for (const Waiting& waiting : std::exchange(waiting_, {})) {
    Tell(*waiting.command, {.outcome = RedisAnswer::Fate::kNotSent, .cause = Cause::kClosed});
  }
  for (const auto& [place, node] : nodes_) node->Retire();
}

// --- nodes ----------------------------------------------------------------------------------

RedisNode& RedisCluster::NodeAt(const TcpEndpoint& endpoint) {
  std::shared_ptr<RedisNode>& node = nodes_[Describe(endpoint)];
  if (node == nullptr) {
    node = std::make_shared<RedisNode>(parts_, endpoint, settings_.node);
    node->on_lost = [this](const RedisConnection::End& /*end*/) {
      if (!is_ending_) RefreshSoon();
    };
  }
  return *node;
}

RedisNode& RedisCluster::NodeFor(std::uint16_t slot) {
  const TcpEndpoint* const primary = topology_.Find(slot);
  // Any node redirects to the slot's owner, or replies that the slot has none.
  return primary == nullptr ? AnyNode() : NodeAt(*primary);
}

// Picks nodes round-robin, preferring those with an open connection.
RedisNode& RedisCluster::AnyNode() {
  if (nodes_.empty()) NodeAt(settings_.seeds.front());
  for (std::size_t i = 0; i < nodes_.size(); ++i) {
    RedisNode& node =
        *std::next(nodes_.begin(), static_cast<std::ptrdiff_t>((turn_ + i) % nodes_.size()))
             ->second;
    if (!node.is_open()) continue;
    turn_ += i + 1;
    return node;
  }
  return *std::next(nodes_.begin(), static_cast<std::ptrdiff_t>(turn_++ % nodes_.size()))->second;
}

// --- commands -------------------------------------------------------------------------------

RedisCluster::Cause RedisCluster::Send(RedisCommand& command, RedisListener& listener) {
  command.client_way = {.listener = &listener};
  return SendTo(NodeFor(command.slot), command);
}

RedisCluster::Cause RedisCluster::SendTo(RedisNode& node, RedisCommand& command) {
  command.client_way.node = &node;
  ++command.client_way.tries;
  return node.Send(command, *this);
}

void RedisCluster::OnOverdue(RedisCommand& command) {
  if (command.client_way.listener != nullptr) command.client_way.listener->OnOverdue(command);
}

void RedisCluster::OnAnswer(RedisCommand& command, const RedisAnswer& answer) {
  if (&command == &refresh_) return TakeTopology(answer);
  if (!is_ending_ && Follow(command, answer)) return;
  Tell(command, answer);
}

void RedisCluster::Tell(RedisCommand& command, const RedisAnswer& answer) {
  command.client_way.listener->OnAnswer(command, answer);
}

bool RedisCluster::Follow(RedisCommand& command, const RedisAnswer& answer) {
  const RedisErrorKind kind = answer.error.kind;
  if (!IsRedirect(kind) && !IsPassing(kind)) return false;
  if (kind != RedisErrorKind::kAsk && kind != RedisErrorKind::kTryAgain) RefreshSoon();
  if (answer.is_late || command.client_way.tries >= settings_.max_tries) return false;
  if (IsPassing(kind) || answer.error.port == 0) return Wait(command);
  Redirect(command, answer.error);
  return true;
}

void RedisCluster::Redirect(RedisCommand& command, const RedisError& error) {
  parts_.counts.redirects.Add(1);
  const TcpEndpoint place{
      error.host.empty() ? HostOf(*command.client_way.node) : std::string(error.host), error.port};
  if (error.kind == RedisErrorKind::kMoved) topology_.Set(error.slot, place);
  RedisNode& node = NodeAt(place);
  Cause cause = Cause::kNone;
  if (error.kind == RedisErrorKind::kAsk) {
    command.client_way.node = &node;
    ++command.client_way.tries;
    cause = node.SendAfterAsking(command, *this);
  } else {
    cause = SendTo(node, command);
  }
  if (cause == Cause::kNone) return;
  // Nothing sent so far has taken effect.
  Tell(command, {.outcome = RedisAnswer::Fate::kNotSent, .cause = cause});
}

bool RedisCluster::Wait(RedisCommand& command) {
  RedisPacing pacing(settings_.again);
  Nanos wait{0};
  for (std::uint8_t i = 0; i < command.client_way.tries; ++i) wait = pacing.Next(parts_.jitter);
  const Time due = parts_.scene.clock.Now() + wait;
  if (due >= command.deadline || waiting_.size() >= settings_.max_waiting) return false;
  waiting_.push_back({&command, due});
  ArmWaiting();
  return true;
}

void RedisCluster::ArmWaiting() {
  if (waiting_.empty()) return;
  const auto next = std::min_element(
      waiting_.begin(), waiting_.end(),
      [](const Waiting& one, const Waiting& other) { return one.due < other.due; });
  waiting_timer_.SetAfter(std::max(next->due - parts_.scene.clock.Now(), Nanos{1}));
}

void RedisCluster::SendWaiting() {
  const Time now = parts_.scene.clock.Now();
  const auto is_due = [now](const Waiting& waiting) { return waiting.due <= now; };
  std::vector<Waiting> due;
  std::copy_if(waiting_.begin(), waiting_.end(), std::back_inserter(due), is_due);
  std::erase_if(waiting_, is_due);
  for (const Waiting& waiting : due) {
    parts_.counts.redirects.Add(1);
    const Cause cause = SendTo(NodeFor(waiting.command->slot), *waiting.command);
    if (cause == Cause::kNone) continue;
    Tell(*waiting.command, {.outcome = RedisAnswer::Fate::kNotSent, .cause = cause});
  }
  ArmWaiting();
}

// --- topology -------------------------------------------------------------------------------

void RedisCluster::RefreshSoon() {
  if (is_refreshing_ || std::exchange(is_refresh_near_, true)) return;
  refresh_timer_.SetAfter(refresh_pacing_.Next(parts_.jitter));
}

void RedisCluster::Refresh() {
  is_refresh_near_ = false;
  if (is_refreshing_) return;
  RedisNode& node = AnyNode();
  refresh_.deadline = parts_.scene.clock.Now() + kRefreshPatience;
  refresh_.client_way = {.node = &node};
  is_refreshing_ = node.Send(refresh_, *this) == Cause::kNone;
  if (is_refreshing_) return;
  parts_.counts.refresh_failures.Add(1);
  for (const TcpEndpoint& seed : settings_.seeds) NodeAt(seed);
  RefreshSoon();
}

void RedisCluster::TakeTopology(const RedisAnswer& answer) {
  is_refreshing_ = false;
  if (is_ending_) return;
  if (answer.outcome == RedisAnswer::Fate::kReplied && answer.error.kind == RedisErrorKind::kNone) {
    Result<RedisTopology> read =
        RedisTopology::Read(answer.reply, HostOf(*refresh_.client_way.node));
    // An empty topology comes from a node that has lost touch with the others.
    if (read.ok() && !read.value().primaries().empty()) {
      topology_ = std::move(read).value();
      parts_.counts.refreshes.Add(1);
      refresh_pacing_.Reset();
      ReleaseMemory();
      const Nanos half = settings_.refresh_every / 2;
      refresh_timer_.SetAfter(parts_.jitter.Between(half, half * 3));
      return;
    }
  }
  parts_.counts.refresh_failures.Add(1);
  for (const TcpEndpoint& seed : settings_.seeds) NodeAt(seed);
  RefreshSoon();
}

void RedisCluster::ReleaseMemory() {
  for (const TcpEndpoint& primary : topology_.primaries()) NodeAt(primary);
  for (auto each = nodes_.begin(); each != nodes_.end();) {
    const auto is_same = [&each](const TcpEndpoint& primary) {
      return Describe(primary) == each->first;
    };
    const bool serves =
        std::any_of(topology_.primaries().begin(), topology_.primaries().end(), is_same);
    if (serves || each->second->under_way() > 0) {
      ++each;
      continue;
    }
    const std::shared_ptr<RedisNode> node = std::move(each->second);
    each = nodes_.erase(each);
    node->Retire();
    // The loop may still call the node until the next round has ended.
    EventLoop& loop = parts_.scene.loop;
    loop.Post([&loop, node] { loop.Post([node] {}); });
  }
}

}  // namespace sluice
