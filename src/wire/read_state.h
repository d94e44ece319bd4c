// How far the reading of something that arrives in parts came.
#pragma once

#include <cstdint>

namespace sluice {

enum class ReadState : std::uint8_t {
  kWhole,  // it was read
  kMore,   // bytes are missing
  kFault,  // it is malformed or too large, and the connection is to be closed: where the next one
           // begins cannot be known
};

}  // namespace sluice
