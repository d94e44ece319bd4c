// RestoreBounds: how far ahead the slots of a snapshot may be.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <span>

#include "store/registered_limit.h"

namespace sluice {

// A slot does not say which limit it belongs to, only the id of its terms. Therefore a slot of a
// file is checked against all limits that have terms of that id in that table: it is dropped unless
// one of them could have written it. Its own terms are checked when it is next used (plausible.h).
//
// Thread safety: immutable.
class RestoreBounds {
 public:
  explicit RestoreBounds(std::span<const std::unique_ptr<RegisteredLimit>> limits);

  // Returns whether a slot of the table for `shape` under this id may be in use until `unused_at`.
  [[nodiscard]] bool Admits(Shape shape, std::uint8_t id, Time unused_at, Time now) const;

 private:
  static constexpr std::size_t kShapes = 4;

  void Extend(Shape shape, std::size_t id, Nanos ahead);

  // Negative if no terms of that id are kept in the table.
  std::array<std::array<Nanos, 256>, kShapes> ahead_;
};

}  // namespace sluice
