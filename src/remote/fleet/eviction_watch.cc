#include "remote/fleet/eviction_watch.h"

#include <charconv>
#include <system_error>
#include <utility>

#include "redis/redis_slot.h"

namespace sluice {
namespace {

// Returns the value of a line that begins with "name:"; empty if there is none.
std::string_view FieldOf(std::string_view text, std::string_view name) {
  while (!text.empty()) {
    const std::size_t end = text.find("\r\n");
    const std::string_view line = text.substr(0, end);
    if (line.starts_with(name) && line.substr(name.size()).starts_with(':')) {
      return line.substr(name.size() + 1);
    }
    text = end == std::string_view::npos ? std::string_view() : text.substr(end + 2);
  }
  return {};
}

std::optional<std::uint64_t> NumberOf(std::string_view text) {
  std::uint64_t number = 0;
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, number);
  if (error != std::errc() || stop != end) return std::nullopt;
  return number;
}

}  // namespace

std::optional<MemoryInfo> ParseMemoryInfo(std::string_view text) {
  const std::optional<std::uint64_t> max = NumberOf(FieldOf(text, "maxmemory"));
  const std::optional<std::uint64_t> evicted = NumberOf(FieldOf(text, "evicted_keys"));
  const std::string_view run_id = FieldOf(text, "run_id");
  const std::string_view policy = FieldOf(text, "maxmemory_policy");
  if (!max || !evicted || run_id.empty() || policy.empty()) return std::nullopt;
  return MemoryInfo{std::string(run_id), std::string(policy), *max, *evicted};
}

EvictionWatch::EvictionWatch(const Parts& parts, Nanos every, Owner owner)
    : parts_(parts),
      every_(every),
      owner_(std::move(owner)),
      timer_(parts.loop, [this] { Look(); }) {
  AppendRedisCommand({"INFO"}, command_.bytes);
  command_.reply_nodes = 1;
  Look();
}

void EvictionWatch::Look() {
  command_.slot = static_cast<std::uint16_t>(part_ * (kRedisSlots / kEvictionParts));
  if (parts_.client.Send(command_, *this) != RedisClient::Cause::kNone) Rest(every_);
}

void EvictionWatch::Rest(Nanos max) {
  part_ = static_cast<std::uint16_t>((part_ + 1) % kEvictionParts);
  timer_.SetAfter(parts_.jitter.Between(max / 2, max));
}

void EvictionWatch::OnAnswer(RedisCommand& /*command*/, const RedisAnswer& answer) {
  if (answer.error.kind == RedisErrorKind::kNoPermission) {
    Rest(every_ * kRareness);
    if (!std::exchange(was_forbidden_, true)) owner_.on_forbidden();
    return;
  }
  const std::uint16_t part = part_;
  Rest(every_);
  const bool is_text =
      answer.outcome == RedisAnswer::Fate::kReplied && answer.error.kind == RedisErrorKind::kNone;
  if (!is_text) return;
  std::optional<MemoryInfo> sight = ParseMemoryInfo(answer.reply.front().text);
  if (sight) Take(*std::move(sight), part);
}

void EvictionWatch::Take(MemoryInfo sight, std::uint16_t part) {
  if (evicted_.size() >= kMaxServers && !evicted_.contains(sight.run_id)) evicted_.clear();
  const auto known = evicted_.try_emplace(sight.run_id, sight.evicted_keys).first;
  const std::uint64_t before = std::exchange(known->second, sight.evicted_keys);
  const std::uint64_t evicted = sight.evicted_keys > before ? sight.evicted_keys - before : 0;
  owner_.on_look({std::move(sight), evicted, part});
}

}  // namespace sluice
