// ReadState: the result of reading input that arrives in parts.
#pragma once

#include <cstdint>

namespace sluice {

enum class ReadState : std::uint8_t {
  kWhole,  // it was read
  kMore,   // more bytes are needed
  // It is malformed or too large. The connection must be closed, because the start of the next
  // message cannot be found.
  kFault,
};

}  // namespace sluice
