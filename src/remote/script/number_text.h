// Writes and reads numbers in the texts of states and tags.
#pragma once

#include <charconv>
#include <cstdint>
#include <string>
#include <string_view>

namespace sluice {

// Appends integers, with a separator between them. Thread safety: none.
class NumberWriter {
 public:
  // Keeps a reference to `out`.
  NumberWriter(char separator, std::string& out) : separator_(separator), out_(&out) {}

  void Add(std::int64_t number) {
    if (is_started_) out_->push_back(separator_);
    is_started_ = true;
    out_->append(std::to_string(number));
  }

 private:
  char separator_;
  std::string* out_;
  bool is_started_ = false;
};

// Reads what NumberWriter wrote. Thread safety: none.
class NumberReader {
 public:
  // Keeps a view of `text`.
  NumberReader(char separator, std::string_view text) : separator_(separator), rest_(text) {}

  // Returns the next number. If it is missing or malformed, is_good() is false from then on.
  std::int64_t Next() {
    if (is_started_ && !rest_.empty()) {
      is_good_ = is_good_ && rest_.front() == separator_;
      rest_.remove_prefix(1);
    }
    is_started_ = true;
    std::int64_t number = 0;
    const auto [end, fault] = std::from_chars(rest_.data(), rest_.data() + rest_.size(), number);
    is_good_ = is_good_ && fault == std::errc{};
    rest_.remove_prefix(static_cast<std::size_t>(end - rest_.data()));
    return number;
  }

  // Marks the input as invalid.
  void Fail() { is_good_ = false; }

  [[nodiscard]] bool IsAtEnd() const { return rest_.empty(); }
  // Returns whether the whole text was read and consisted of numbers.
  [[nodiscard]] bool IsDone() const { return is_good_ && rest_.empty(); }
  [[nodiscard]] bool is_good() const { return is_good_; }

 private:
  char separator_;
  std::string_view rest_;
  bool is_good_ = true;
  bool is_started_ = false;
};

}  // namespace sluice
