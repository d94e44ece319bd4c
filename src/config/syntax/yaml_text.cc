#include "config/syntax/yaml_text.h"

#include <algorithm>

#include "base/text.h"
#include "base/utf8.h"
#include "config/syntax/yaml.h"

namespace sluice {
namespace {

constexpr std::string_view kBlanks = " \t";

// The number of bytes between two stored positions: costs 8 bytes per 256 bytes of text, and a
// lookup takes at most 255 steps.
constexpr std::size_t kStep = 256;

void Advance(Position& at, char c) {
  if (c == '\n') {
    ++at.line;
    at.column = 1;
  } else if (!IsUtf8Continuation(c)) {
    ++at.column;
  }
}

// Returns whether the character is a control character other than a tab or a line end; includes
// U+0080 to U+009F.
bool IsControl(std::string_view rest) {
  const auto first = static_cast<unsigned char>(rest.front());
  if (first == '\t' || first == '\n' || first == '\r') return false;
  if (first < 0x20 || first == 0x7F) return true;
  return first == 0xC2 && static_cast<unsigned char>(rest[1]) < 0xA0;
}

// Returns why the character at the start of `rest` is not allowed; empty if it is.
std::string_view CharacterFault(std::string_view rest) {
  if (IsControl(rest)) return "a control character must be escaped, in double quotes";
  if (rest.front() == '\r' && !rest.starts_with("\r\n")) {
    return "a line must end in \\n or \\r\\n, not in \\r alone";
  }
  return {};
}

std::optional<PositionedError> CheckCharacters(const YamlText& text) {
  std::size_t structure = 0;
  std::size_t step = 0;
  for (std::size_t byte = 0; !text.IsEnd(byte); byte += step) {
    const std::string_view rest = text.From(byte);
    step = Utf8SizeAt(rest);
    if (step == 0) return PositionedError{text.At(byte), "this byte is not UTF-8"};
    if (const std::string_view fault = CharacterFault(rest); !fault.empty()) {
      return PositionedError{text.At(byte), std::string(fault)};
    }
    const char c = rest.front();
    if ((c == ',' || c == '[' || c == '{') && ++structure > kMaxYamlNodes) {
      return PositionedError{
          text.At(byte), Concat("more than ", kMaxYamlNodes, " of ',', '[' and '{' in one text")};
    }
  }
  return std::nullopt;
}

std::optional<PositionedError> CheckDirectives(const YamlText& text) {
  bool has_begun = false;
  for (std::size_t byte = 0; !text.IsEnd(byte);) {
    const std::string_view rest = text.From(byte);
    const std::string_view line = rest.substr(0, rest.find('\n'));
    const std::size_t content = line.find_first_not_of(" \t\r");
    if (IsDocumentMarker(line, "...")) {
      has_begun = false;
    } else if (line.starts_with('%')) {
      if (has_begun) {
        return PositionedError{text.At(byte),
                               "a line that begins with '%' must stand before its document"};
      }
    } else if (content != std::string_view::npos && line[content] != '#') {
      has_begun = true;
    }
    byte += line.size() + 1;
  }
  return std::nullopt;
}

}  // namespace

YamlText::YamlText(std::string_view text, Secrecy secrecy) : text_(text), secrecy_(secrecy) {
  sampled_.reserve(text.size() / kStep + 1);
  Position at{1, 1};
  for (std::size_t byte = 0; byte < text.size(); ++byte) {
    if (byte % kStep == 0) sampled_.push_back(at);
    Advance(at, text[byte]);
  }
  if (text.size() % kStep == 0) sampled_.push_back(at);
}

std::string_view YamlText::From(std::size_t byte) const {
  return text_.substr(std::min(byte, text_.size()));
}

std::size_t YamlText::LineStart(std::size_t byte) const {
  if (byte == 0) return 0;
  const std::size_t before = text_.rfind('\n', byte - 1);
  return before == std::string_view::npos ? 0 : before + 1;
}

std::size_t YamlText::LineContent(std::size_t byte) const {
  return std::min(text_.find_first_not_of(kBlanks, LineStart(byte)), text_.size());
}

std::size_t YamlText::SkipProperties(std::size_t byte) const {
  std::size_t next = byte;
  while (From(next).starts_with('&') || From(next).starts_with('!')) {
    if (From(next).starts_with("!<")) next = text_.find('>', next);
    next = text_.find_first_of(" \t\r\n,]}", next);
    next = text_.find_first_not_of(" \t\r\n", next);
    while (From(next).starts_with('#')) {
      next = text_.find_first_not_of(" \t\r\n", std::min(text_.find('\n', next), text_.size()));
    }
  }
  return IsEnd(next) ? byte : next;
}

Position YamlText::At(std::size_t byte) const {
  const std::size_t known = std::min(byte, text_.size());
  Position at = sampled_[known / kStep];
  for (const char c : text_.substr(known - known % kStep, known % kStep)) Advance(at, c);
  return at;
}

std::string YamlText::Found(std::size_t byte) const {
  if (IsEnd(byte)) return "the end of the text";
  const std::string_view rest = From(byte);
  if (rest.front() == '\n' || rest.front() == '\r') return "the end of the line";
  return QuotedSign(rest.substr(0, Utf8SizeAt(rest)), secrecy_);
}

std::string YamlText::FoundLine(std::size_t byte) const {
  const std::string_view rest = From(byte);
  return QuotedText(rest.substr(0, rest.find_first_of("\r\n")), secrecy_);
}

std::optional<PositionedError> CheckYamlText(const YamlText& text) {
  if (text.Text().starts_with("\xEF\xBB\xBF")) {
    return PositionedError{{1, 1}, "expected a value, found a byte order mark"};
  }
  if (auto error = CheckCharacters(text)) return error;
  return CheckDirectives(text);
}

bool IsDocumentMarker(std::string_view line, std::string_view marker) {
  if (!line.starts_with(marker)) return false;
  const std::string_view after = line.substr(marker.size());
  return after.empty() || std::string_view(" \t\r\n").find(after.front()) != std::string_view::npos;
}

}  // namespace sluice
