// Result<T>: a value, or an Error that describes what went wrong. Errors are returned as values;
// nothing in the library throws.
#pragma once

#include <cassert>
#include <string>
#include <utility>
#include <variant>

namespace sluice {

// Describes what was wrong, where, and what was expected, in one sentence for a person.
struct Error {
  std::string message;
};

namespace internal {

// Prints the message to stderr and aborts.
[[noreturn]] void AbortWithError(const Error& error);

}  // namespace internal

// Either a T or an Error.
//
// Thread safety: that of T. REQUIRES: ok() for value(), !ok() for error(). value() on an error
// prints the message and aborts even with NDEBUG, because small programs do not check ok() and
// undefined behavior would not show them the error.
template <typename T>
class [[nodiscard]] Result {
 public:
  Result(T value) : held_(std::move(value)) {}      // NOLINT(google-explicit-constructor)
  Result(Error error) : held_(std::move(error)) {}  // NOLINT(google-explicit-constructor)

  [[nodiscard]] bool ok() const { return held_.index() == 0; }
  explicit operator bool() const { return ok(); }

  [[nodiscard]] T& value() & {
    RequireValue();
    return *std::get_if<0>(&held_);
  }
  [[nodiscard]] const T& value() const& {
    RequireValue();
    return *std::get_if<0>(&held_);
  }
  [[nodiscard]] T&& value() && {
    RequireValue();
    return std::move(*std::get_if<0>(&held_));
  }
  [[nodiscard]] const Error& error() const {
    assert(!ok());
    return *std::get_if<1>(&held_);
  }

 private:
  void RequireValue() const {
    if (!ok()) [[unlikely]] {
      internal::AbortWithError(error());
    }
  }

  std::variant<T, Error> held_;
};

// The value of a Result whose operation returns nothing but may fail.
struct Done {};

}  // namespace sluice
