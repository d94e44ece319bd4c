// YamlText: a text, the line and column of each of its bytes, and the checks it must pass before
// yaml-cpp sees it.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "config/secrecy.h"
#include "core/value.h"

namespace sluice {

// Thread safety: constant once made. The text belongs to the caller and must outlive it. Places
// are given as bytes from its start, which is what yaml-cpp counts; its columns are bytes, too.
class YamlText {
 public:
  YamlText(std::string_view text, Secrecy secrecy);

  [[nodiscard]] std::string_view Text() const { return text_; }
  // Whether messages may quote it.
  [[nodiscard]] Secrecy TextSecrecy() const { return secrecy_; }
  [[nodiscard]] bool IsEnd(std::size_t byte) const { return byte >= text_.size(); }

  // What stands at the byte and after it; nothing past the end.
  [[nodiscard]] std::string_view From(std::size_t byte) const;
  // The first byte of the line that the byte is in.
  [[nodiscard]] std::size_t LineStart(std::size_t byte) const;
  // The first byte of that line which is neither a space nor a tab.
  [[nodiscard]] std::size_t LineContent(std::size_t byte) const;
  // The first byte of a value whose anchor or tag stands at the byte; the byte where none does, or
  // where nothing comes after them.
  [[nodiscard]] std::size_t SkipProperties(std::size_t byte) const;

  // In a time that does not depend on the length of the text or its lines.
  [[nodiscard]] Position At(std::size_t byte) const;

  // The character at the byte, for messages: "'x'", "the end of the text".
  [[nodiscard]] std::string Found(std::size_t byte) const;
  // The rest of the line, for messages.
  [[nodiscard]] std::string FoundLine(std::size_t byte) const;

 private:
  std::string_view text_;
  Secrecy secrecy_;
  std::vector<Position> sampled_;  // of every kStep-th byte
};

// Why the text is not handed to yaml-cpp, if so: bytes that are not UTF-8, a byte order mark,
// control characters, which yaml-cpp would take as content or the end of the text; too many
// brackets and commas, each of which costs it up to 240 bytes before a single value can be
// counted; and lines with '%' after a document has begun, which it would skip.
std::optional<PositionedError> CheckYamlText(const YamlText& text);

// Whether a line that begins like this is a marker, '---' or '...'.
bool IsDocumentMarker(std::string_view line, std::string_view marker);

}  // namespace sluice
