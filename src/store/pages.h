// Pages: address space that is reserved at once and takes memory only where it is touched.
#pragma once

#include <cstddef>
#include <cstdint>

#include "sluice/result.h"

namespace sluice {

inline constexpr std::size_t kPageBytes = 4096;

// The size of a large page. The tables of all shards are side by side in rows of this size, so that
// one large page serves every shard and a lookup among millions of keys seldom misses the TLB.
inline constexpr std::size_t kRowBytes = std::size_t{2} << 20U;

constexpr std::size_t RoundUpTo(std::size_t multiple, std::size_t bytes) {
  return (bytes + multiple - 1) / multiple * multiple;
}

// A zeroed address range that starts at a multiple of kRowBytes. Memory is committed page by page
// on first touch, so a table can reserve years of in-place growth at no cost.
//
// Thread safety: none of its own; different pages may be used by different threads.
// Ownership: move-only; unmaps what it reserved.
class Pages {
 public:
  static Result<Pages> Reserve(std::size_t bytes);

  Pages() = default;
  Pages(Pages&& other) noexcept;
  Pages& operator=(Pages&& other) noexcept;
  Pages(const Pages&) = delete;
  Pages& operator=(const Pages&) = delete;
  ~Pages();

  [[nodiscard]] std::byte* data() const { return data_; }

  // Asks for large pages in [from, from + bytes), if the system has them.
  static void PreferLarge(std::byte* from, std::size_t bytes);

  // Returns the whole pages within [from, from + bytes) to the system; they read as zero again.
  static void Discard(std::byte* from, std::size_t bytes);

 private:
  Pages(std::byte* mapped, std::size_t bytes, std::byte* data)
      : mapped_(mapped), bytes_(bytes), data_(data) {}

  std::byte* mapped_ = nullptr;  // as mapped by the system
  std::size_t bytes_ = 0;
  std::byte* data_ = nullptr;  // the first multiple of kRowBytes in it
};

}  // namespace sluice
