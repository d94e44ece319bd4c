// Descriptor: a file descriptor that is closed by its destructor.
#pragma once

#include <unistd.h>

#include <utility>

namespace sluice {

// Owns a file descriptor, or none (-1). Thread safety: none.
class Descriptor {
 public:
  explicit Descriptor(int value) : value_(value) {}
  Descriptor(Descriptor&& other) noexcept : value_(std::exchange(other.value_, -1)) {}
  Descriptor& operator=(Descriptor&&) = delete;
  ~Descriptor() {
    if (ok()) ::close(value_);
  }

  [[nodiscard]] bool ok() const { return value_ >= 0; }
  [[nodiscard]] int get() const { return value_; }

 private:
  int value_;
};

}  // namespace sluice
