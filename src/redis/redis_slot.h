// Hash slots of a Redis Cluster.
#pragma once

#include <cstdint>
#include <string_view>

namespace sluice {

inline constexpr std::uint16_t kRedisSlots = 16384;

// Returns the part of a key that selects its slot: the text between its first '{' and the next '}'
// if that is not empty, otherwise the whole key.
std::string_view HashTag(std::string_view key);

// Returns the slot of a key: CRC16 (XMODEM) of the hash tag, modulo kRedisSlots.
std::uint16_t SlotOf(std::string_view key);

}  // namespace sluice
