// Frees the memory of strings that are kept for reuse and have grown too large.
#pragma once

#include <cstddef>
#include <string>

namespace sluice {

// Maximum capacity, in bytes, of a string that is kept for the next exchange.
constexpr std::size_t kTextKept = std::size_t{4} << 10U;

// Clears the string, and frees its memory if the capacity is above kTextKept.
inline void Empty(std::string& text) {
  text.clear();
  if (text.capacity() > kTextKept) std::string().swap(text);
}

// Erases the first `count` bytes. Shrinks the string if it uses less than a quarter of a large
// capacity, because ByteBudget counts the size of such strings and not their capacity.
inline void EraseFront(std::string& text, std::size_t count) {
  text.erase(0, count);
  if (text.capacity() > kTextKept && text.capacity() / 4 > text.size()) text.shrink_to_fit();
}

}  // namespace sluice
