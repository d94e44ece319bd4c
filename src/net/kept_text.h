// Texts whose memory is used again.
#pragma once

#include <cstddef>
#include <string>

namespace sluice {

// A text that grew beyond this is not kept for the next exchange.
constexpr std::size_t kTextKept = std::size_t{4} << 10U;

// Makes it empty, and small if it is not.
inline void Empty(std::string& text) {
  text.clear();
  if (text.capacity() > kTextKept) std::string().swap(text);
}

// Erases the first `count` bytes. Returns memory to the allocator if far less of it is needed now,
// because only the size of a text is counted (ByteBudget), and not its capacity.
inline void EraseFront(std::string& text, std::size_t count) {
  text.erase(0, count);
  if (text.capacity() > kTextKept && text.capacity() / 4 > text.size()) text.shrink_to_fit();
}

}  // namespace sluice
