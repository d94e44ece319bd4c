// RequestTemplate: a request that is built once and sent with any key.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace sluice {

// Request bytes with places for a key. A key is a decimal number, padded with zeros so that all
// keys have the same length; writing a request is a copy and a few digits.
//
// Thread safety: immutable.
//
// Invariants
//   (1) Append(key) appends exactly the bytes that `build` returns for the key's digits.
//   (2) Nothing is allocated except for the growth of the output.
class RequestTemplate {
 public:
  // `build` makes the request for a key. It is called with two keys, and the places of the key are
  // found by comparing the results. REQUIRES: it copies the digits unchanged, and keys > 0.
  RequestTemplate(std::uint64_t keys,
                  const std::function<std::string(std::string_view key)>& build);

  void Append(std::uint64_t key, std::string& out) const;

  [[nodiscard]] std::size_t size() const { return text_.size(); }

 private:
  std::size_t width_;  // digits of a key
  std::string text_;
  std::vector<std::size_t> places_;  // offsets at which the key begins
};

}  // namespace sluice
