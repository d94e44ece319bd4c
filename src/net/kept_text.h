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

}  // namespace sluice
