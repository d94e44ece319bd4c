// RequestTemplate: a request that is made once and sent for any key.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace sluice {

// Bytes with places for a key, which is a number in decimal, with zeros in front so that all keys
// are of one length. So all requests are, and writing one is a copy and a few digits.
//
// Thread safety: immutable.
//
// Invariants
//   (1) What is appended for a key is what was built for its digits.
//   (2) Nothing is allocated but what the text takes.
class RequestTemplate {
 public:
  // `build` makes the request for a key. It is called for a few keys; where the key stands in what
  // it makes is found by comparing. REQUIRES: it puts digits as they are, and keys > 0.
  RequestTemplate(std::uint64_t keys,
                  const std::function<std::string(std::string_view key)>& build);

  void Append(std::uint64_t key, std::string& out) const;

  [[nodiscard]] std::size_t size() const { return text_.size(); }

 private:
  std::size_t width_;  // digits of a key
  std::string text_;
  std::vector<std::size_t> places_;  // where a key begins
};

}  // namespace sluice
