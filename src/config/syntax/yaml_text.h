// YamlText: a text with the line and column of each byte, and the checks that it must pass before
// yaml-cpp parses it.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/value.h"
#include "config/syntax/secrecy.h"

namespace sluice {

// Thread safety: immutable once constructed. Does not own the text, which must outlive it. Offsets
// are in bytes from the start of the text, as in yaml-cpp, whose columns are in bytes, too.
class YamlText {
 public:
  YamlText(std::string_view text, Secrecy secrecy);

  [[nodiscard]] std::string_view Text() const { return text_; }
  // Returns whether messages may quote the text.
  [[nodiscard]] Secrecy TextSecrecy() const { return secrecy_; }
  [[nodiscard]] bool IsEnd(std::size_t byte) const { return byte >= text_.size(); }

  // Returns the text from the byte on; empty past the end.
  [[nodiscard]] std::string_view From(std::size_t byte) const;
  // Returns the first byte of the line that contains the byte.
  [[nodiscard]] std::size_t LineStart(std::size_t byte) const;
  // Returns the first byte of that line that is neither a space nor a tab.
  [[nodiscard]] std::size_t LineContent(std::size_t byte) const;
  // Returns the first byte of the value whose anchor or tag begins at the byte. Returns the byte
  // itself if none begins there, or if nothing follows them.
  [[nodiscard]] std::size_t SkipProperties(std::size_t byte) const;

  // Returns the position of the byte, in a time that does not depend on the length of the text or
  // its lines.
  [[nodiscard]] Position At(std::size_t byte) const;

  // Describes the character at the byte for messages: "'x'", "the end of the text".
  [[nodiscard]] std::string Found(std::size_t byte) const;
  // Quotes the rest of the line for messages.
  [[nodiscard]] std::string FoundLine(std::size_t byte) const;

 private:
  std::string_view text_;
  Secrecy secrecy_;
  std::vector<Position> sampled_;  // the position of every kStep-th byte
};

// Returns why the text must not be passed to yaml-cpp, if so: invalid UTF-8, a byte order mark, or
// control characters, which yaml-cpp would take as content or as the end of the text; too many
// brackets and commas, each of which costs yaml-cpp up to 240 bytes before a single value can be
// counted; and lines with '%' after a document has begun, which yaml-cpp would skip.
std::optional<PositionedError> CheckYamlText(const YamlText& text);

// Returns whether a line is a document marker, '---' or '...'.
bool IsDocumentMarker(std::string_view line, std::string_view marker);

}  // namespace sluice
