#include "load/request_template.h"

#include <array>
#include <cassert>
#include <cstring>

namespace sluice {
namespace {

constexpr std::size_t kMaxDigits = 20;

}  // namespace

RequestTemplate::RequestTemplate(std::uint64_t keys,
                                 const std::function<std::string(std::string_view key)>& build)
    : width_(std::to_string(keys - 1).size()), text_(build(std::string(width_, '0'))) {
  const std::string other = build(std::string(width_, '1'));
  assert(other.size() == text_.size());
  for (std::size_t at = 0; at < text_.size();) {
    if (text_[at] == other[at]) {
      ++at;
    } else {
      places_.push_back(at);
      at += width_;
    }
  }
}

void RequestTemplate::Append(std::uint64_t key, std::string& out) const {
  std::array<char, kMaxDigits> digits;
  for (std::size_t i = width_; i-- > 0; key /= 10) digits[i] = static_cast<char>('0' + key % 10);
  const std::size_t begin = out.size();
  out.append(text_);
  for (const std::size_t place : places_) {
    std::memcpy(out.data() + begin + place, digits.data(), width_);
  }
}

}  // namespace sluice
