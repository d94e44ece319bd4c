// Secret: a password or token that cannot end up in output by accident.
#pragma once

#include <iosfwd>
#include <string>
#include <string_view>
#include <utility>

namespace sluice {

inline constexpr std::string_view kHiddenSecret = "(secret)";

// Text that is written as "(secret)" in messages, logs and test output. Only Reveal returns it. An
// empty Secret means that there is none.
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

// Lets Concat append a Secret; it appends "(secret)".
inline void AppendPart(const Secret&, std::string& text) { text.append(kHiddenSecret); }
std::ostream& operator<<(std::ostream& out, const Secret&);

}  // namespace sluice
