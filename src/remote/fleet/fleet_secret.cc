#include "remote/fleet/fleet_secret.h"

#include <openssl/evp.h>

#include <array>
#include <cassert>
#include <cstring>
#include <utility>

#include "base/hex_digits.h"
#include "redis/redis_slot.h"

namespace sluice {
namespace {

std::string TextOf(const FleetSecret& secret) {
  std::string text;
  for (const std::uint64_t part :
       {secret.first.low, secret.first.high, secret.second.low, secret.second.high}) {
    AppendHexDigits(part, text);
  }
  return text;
}

}  // namespace

FleetSecret FleetSecretOf(std::string_view text) {
  std::array<unsigned char, EVP_MAX_MD_SIZE> digest{};
  unsigned size = 0;
  [[maybe_unused]] const int done =
      EVP_Digest(text.data(), text.size(), digest.data(), &size, EVP_sha256(), nullptr);
  assert(done == 1 && size == 32);
  const auto part = [&digest](std::size_t i) {
    std::uint64_t bits = 0;  // independent of the machine's byte order
    for (std::size_t j = 0; j < 8; ++j) bits = (bits << 8U) | digest[8 * i + j];
    return bits;
  };
  return {.first = {part(0), part(1)}, .second = {part(2), part(3)}};
}

FleetSecretSource::FleetSecretSource(const Parts& parts, std::string_view prefix,
                                     const FleetSecret& proposal, Found found)
    : parts_(parts),
      key_(std::string(prefix) + "secret"),
      found_(std::move(found)),
      timer_(parts.loop, [this] { Ask(); }) {
  AppendRedisCommand({"SET", key_, TextOf(proposal), "NX"}, offer_.bytes);
  AppendRedisCommand({"GET", key_}, look_.bytes);
  offer_.reply_nodes = look_.reply_nodes = 1;
  offer_.slot = SlotOf(key_);
  look_.slot = offer_.slot;
  Ask();
}

void FleetSecretSource::Ask() {
  if (parts_.client.Send(offer_, *this) == RedisClient::Cause::kNone) return;
  timer_.SetAfter(pacing_.Next(parts_.jitter));
}

void FleetSecretSource::Look() {
  if (parts_.client.Send(look_, *this) == RedisClient::Cause::kNone) return;
  timer_.SetAfter(pacing_.Next(parts_.jitter));
}

// Whether or not the offer was accepted, the secret is what Redis stores now.
void FleetSecretSource::OnAnswer(RedisCommand& command, const RedisAnswer& answer) {
  if (&command == &offer_) return Look();
  const bool is_text = answer.outcome == RedisAnswer::Fate::kReplied &&
                       answer.reply.front().type != RespType::kError &&
                       !answer.reply.front().text.empty();
  if (!is_text) return timer_.SetAfter(pacing_.Next(parts_.jitter));
  const std::string_view text = answer.reply.front().text;
  if (text != text_ && text != seen_) {
    seen_ = text;
    return Look();
  }
  Use(text);
  pacing_.Reset();
  timer_.SetAfter(parts_.jitter.Between(kLookEvery / 2, kLookEvery));
}

void FleetSecretSource::Use(std::string_view text) {
  seen_.clear();
  if (text == text_) return;
  text_ = text;
  offer_.bytes.clear();
  AppendRedisCommand({"SET", key_, text_, "NX"}, offer_.bytes);
  found_(FleetSecretOf(text_));
}

}  // namespace sluice
