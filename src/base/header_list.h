// HeaderList: the headers of one reply, ready to be serialized.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace sluice {

// A header as a front end writes it: the name in its usual spelling, the value in printable ASCII.
struct Header {
  std::string_view name;
  std::string_view value;

  friend bool operator==(const Header&, const Header&) = default;
};

// Headers in the order in which they were added, stored in one buffer. Reuse a list for many
// replies: after the first few it allocates nothing.
//
// Thread safety: a value. Returned views are valid until the list is changed.
class HeaderList {
 public:
  void Add(std::string_view name, std::string_view value) { Start(name).append(value); }

  // Begins a header. Everything appended to the returned string before the next call is its value.
  std::string& Start(std::string_view name) {
    const auto name_begin = static_cast<std::uint32_t>(bytes_.size());
    bytes_.append(name);
    places_.push_back({name_begin, static_cast<std::uint32_t>(bytes_.size())});
    return bytes_;
  }

  [[nodiscard]] std::size_t size() const { return places_.size(); }

  // REQUIRES: index < size().
  [[nodiscard]] Header operator[](std::size_t index) const {
    const Place& place = places_[index];
    const std::size_t end =
        index + 1 < places_.size() ? places_[index + 1].name_begin : bytes_.size();
    const std::string_view bytes = bytes_;
    return {bytes.substr(place.name_begin, place.value_begin - place.name_begin),
            bytes.substr(place.value_begin, end - place.value_begin)};
  }

  // Removes all headers and keeps the memory for the next reply.
  void Clear() {
    bytes_.clear();
    places_.clear();
  }

 private:
  struct Place {
    std::uint32_t name_begin = 0;
    std::uint32_t value_begin = 0;
  };

  std::string bytes_;
  std::vector<Place> places_;
};

}  // namespace sluice
