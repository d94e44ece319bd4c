// Secret: a password or token that shows itself to nobody by accident.
#pragma once

#include <iosfwd>
#include <string>
#include <string_view>
#include <utility>

namespace sluice {

inline constexpr std::string_view kHiddenSecret = "(secret)";

// A text that is written as "(secret)" wherever it is put into a message, a log or a test's output.
// Only Reveal gives it away. A value; the default is none.
class Secret {
 public:
  Secret() = default;
  explicit Secret(std::string text) : text_(std::move(text)) {}

  [[nodiscard]] bool empty() const { return text_.empty(); }
  [[nodiscard]] std::string_view Reveal() const { return text_; }

  friend bool operator==(const Secret&, const Secret&) = default;

 private:
  std::string text_;
};

// For Concat.
inline void AppendPart(const Secret&, std::string& text) { text.append(kHiddenSecret); }
std::ostream& operator<<(std::ostream& out, const Secret&);

}  // namespace sluice
