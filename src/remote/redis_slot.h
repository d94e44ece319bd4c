// The slots of a redis cluster.
#pragma once

#include <cstdint>
#include <string_view>

namespace sluice {

inline constexpr std::uint16_t kRedisSlots = 16384;

// The part of a key that chooses its slot: what stands between its first '{' and the next '}', if
// that is anything, else all of it.
std::string_view HashTag(std::string_view key);

// CRC16 (XMODEM) of the hash tag, below kRedisSlots.
std::uint16_t SlotOf(std::string_view key);

}  // namespace sluice
