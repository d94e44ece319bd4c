#include "config/syntax/yaml_fault.h"

#include <algorithm>
#include <array>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>

#include "base/text.h"
#include "base/utf8.h"

namespace sluice {
namespace {

namespace said = YAML::ErrorMsg;

// Returns our message for a fault that needs no look at the text; empty if yaml-cpp's message is
// good enough.
std::string_view WordingOf(std::string_view words) {
  struct Wording {
    std::string_view words;
    std::string_view ours;
  };
  const std::array<Wording, 12> wordings = {{
      {said::TAB_IN_INDENTATION, "a tab cannot indent; use spaces"},
      {said::BLOCK_ENTRY, "a list item '- ' must begin a line, and cannot stand in brackets"},
      {said::MAP_KEY, "a key with '? ' must begin a line"},
      {said::ALIAS_NOT_FOUND, "expected a name after '*'; text that begins with it needs quotes"},
      {said::CHAR_IN_ALIAS, "this character cannot stand in a name after '*'"},
      {said::ANCHOR_NOT_FOUND, "expected a name after '&'; text that begins with it needs quotes"},
      {said::CHAR_IN_ANCHOR, "this character cannot stand in a name after '&'"},
      {said::MULTIPLE_ANCHORS, "a value has at most one anchor"},
      {said::MULTIPLE_TAGS, "a value has at most one tag"},
      {said::CHAR_IN_BLOCK, "expected the end of the line after '|' or '>'"},
      {said::ZERO_INDENT_IN_BLOCK, "the indentation after '|' or '>' must be 1 to 9"},
      {said::YAML_VERSION, "bad version after %YAML; expected 1.2"},
  }};
  for (const Wording& wording : wordings) {
    if (words.starts_with(wording.words)) return wording.ours;
  }
  return {};
}

bool StartsWithAny(std::string_view rest, std::string_view characters) {
  return !rest.empty() && characters.find(rest.front()) != std::string_view::npos;
}

// Returns whether the text ends inside a quoted string, according to yaml-cpp.
bool EndsInString(std::string_view text) {
  const YamlText placed(text, Secrecy::kOpen);
  YamlBuilder builder(placed);
  try {
    ParseYaml(text, builder);
  } catch (const YamlRefusal&) {
    return false;
  } catch (const YAML::Exception& fault) {
    return fault.msg == said::EOF_IN_SCALAR;
  } catch (const std::runtime_error&) {
    return false;
  }
  return false;
}

// Returns the byte after the string that begins with the quote at `byte`, or npos if it is not
// closed.
std::size_t StringEnd(std::string_view text, std::size_t byte) {
  const char quote = text[byte];
  for (++byte; byte < text.size(); ++byte) {
    if (quote == '"' && text[byte] == '\\') {
      ++byte;
    } else if (text[byte] == quote) {
      if (quote == '"' || !text.substr(byte + 1).starts_with(quote)) return byte + 1;
      ++byte;
    }
  }
  return std::string_view::npos;
}

// Finds the quote that opens the string in which the text ends. Only a parser knows which quotes
// are part of a text, so this guesses, starting at `byte`, and lets yaml-cpp confirm the guess.
std::optional<std::size_t> FindOpenQuote(std::string_view text, std::size_t byte) {
  constexpr int kMaxGuesses = 3;  // each one parses the text twice
  int guesses = 0;
  char before = '\n';
  while (byte < text.size() && guesses < kMaxGuesses) {
    const std::string_view rest = text.substr(byte);
    std::size_t next = byte + 1;
    if (rest.front() == '#' && (before == ' ' || before == '\n')) {
      next = std::min(text.find('\n', byte), text.size());
    } else if (StartsWithAny(rest, "\"'") && StartsWithAny({&before, 1}, " \t\n[{,:")) {
      next = StringEnd(text, byte);
      if (next == std::string_view::npos) {
        if (EndsInString(text.substr(0, byte + 1)) && !EndsInString(text.substr(0, byte))) {
          return byte;
        }
        ++guesses;
        next = byte + 1;
      }
    }
    byte = next;
    before = text[byte - 1];
  }
  return std::nullopt;
}

// Explains one fault from yaml-cpp's message, the text around its position, and the open values.
class Explanation {
 public:
  Explanation(const YamlText& text, const YamlBuilder& builder, const YAML::Exception& fault)
      : text_(text), builder_(builder), said_(fault.msg), byte_(ByteOf(fault.mark)) {}

  [[nodiscard]] PositionedError Explain() const {
    if (Says(said::EOF_IN_SCALAR) || Says(said::DOC_IN_SCALAR)) return OpenString();
    if (Says(said::END_OF_SEQ_FLOW)) return OpenBracket("[", "]");
    if (Says(said::END_OF_MAP_FLOW)) return OpenBracket("{", "}");
    if (Says(said::FLOW_END)) return Here(Concat("this ", Found(), " closes nothing"));
    if (Says(said::INVALID_ESCAPE) || Says(said::INVALID_HEX) || Says(said::INVALID_UNICODE)) {
      return BadEscape();
    }
    if (Says(said::UNKNOWN_ANCHOR)) {
      return Here(Concat("no anchor for ", AliasAt(text_, byte_),
                         " stands before it; text that begins with '*' needs quotes"));
    }
    if (Says(said::UNKNOWN_TOKEN)) return NoToken();
    if (Says(said::END_OF_MAP) || Says(said::END_OF_SEQ) || Says(said::MAP_VALUE) ||
        Says(said::MAP_KEY) || Says(said::BLOCK_ENTRY)) {
      if (const auto tab = IndentingTab()) {
        return {text_.At(*tab), "a tab cannot indent; use spaces"};
      }
    }
    if (Says(said::MAP_VALUE)) return LooseColon();
    if (Says(said::END_OF_MAP) || Says(said::END_OF_SEQ)) return OutOfPlace();
    const std::string_view ours = WordingOf(said_);
    return Here(ours.empty() ? said_ : std::string(ours));
  }

 private:
  // Compares prefixes, because yaml-cpp may append what it found.
  [[nodiscard]] bool Says(std::string_view words) const { return said_.starts_with(words); }
  [[nodiscard]] std::string Found() const { return text_.Found(byte_); }
  [[nodiscard]] PositionedError Here(std::string message) const {
    return {text_.At(byte_), std::move(message)};
  }

  [[nodiscard]] PositionedError OpenString() const {
    const std::string_view text = text_.Text().substr(0, byte_);
    if (const auto quote = FindOpenQuote(text, builder_.LastByte())) {
      return {text_.At(*quote), "this string has no closing quote"};
    }
    return Here("a string has no closing quote before this");
  }

  [[nodiscard]] PositionedError OpenBracket(std::string_view opening,
                                            std::string_view closing) const {
    const Position opened = builder_.OpenAt();
    const std::string_view rest = text_.From(byte_);
    if (rest.empty() || IsDocumentMarker(rest, "---") || IsDocumentMarker(rest, "...")) {
      return {opened, Concat("this '", opening, "' has no closing '", closing, "'")};
    }
    std::string expected = Concat("expected ',' or '", closing, "'");
    if (opened.line != text_.At(byte_).line) {
      expected = Concat(expected, " for the '", opening, "' on line ", opened.line);
    }
    return Here(Concat(expected, ", found ", Found()));
  }

  [[nodiscard]] PositionedError NoToken() const {
    // This is a rule of yaml-cpp, not of YAML.
    if (text_.From(byte_).starts_with('?')) return Here("in brackets, text with '?' needs quotes");
    return Here(Concat("a value cannot begin with ", Found(), "; put it in quotes"));
  }

  // The position of the fault is after the part of the escape that was read.
  [[nodiscard]] PositionedError BadEscape() const {
    const std::size_t before = byte_ < 2 ? 0 : byte_ - 2;
    const std::size_t backslash = std::min(text_.Text().rfind('\\', before), byte_);
    const Position at = text_.At(backslash);
    if (Says(said::INVALID_HEX)) {
      return {at, "expected two hexadecimal digits after \\x, four after \\u, eight after \\U"};
    }
    if (Says(said::INVALID_UNICODE)) {
      return {at, "no such character; one above U+FFFF is written \\UXXXXXXXX"};
    }
    std::string unknown = "unknown escape";
    if (text_.TextSecrecy() == Secrecy::kOpen) {
      const std::string_view escape = text_.From(backslash);
      unknown += Concat(" ", Quoted(escape.substr(0, 1 + Utf8SizeAt(escape.substr(1)))));
    }
    return {at, Concat(unknown, "; in single quotes a backslash is text")};
  }

  // Returns a tab before the content of the line, or between its '-' and the content.
  [[nodiscard]] std::optional<std::size_t> IndentingTab() const {
    const std::size_t start = text_.LineStart(byte_);
    const std::size_t end = text_.Text().find_first_not_of(" \t-?", start);
    const std::size_t tab = text_.Text().find('\t', start);
    return tab < end ? std::optional(tab) : std::nullopt;
  }

  // Explains a ':' that is followed by a blank but does not follow a key.
  [[nodiscard]] PositionedError LooseColon() const {
    const std::size_t start = text_.LineContent(byte_);
    const std::string_view before = text_.Text().substr(start, byte_ - start);
    if (IsDocumentMarker(before, "---")) return Here("a mapping must begin below '---'");
    if (before.find(": ") != std::string_view::npos) {
      return Here("a second ': ' on one line; put the value in quotes");
    }
    if (before.size() > 1024) return Here("a key must be at most 1024 bytes long");
    return Here(
        "this ':' follows no key; is a ': ' missing on the line above, or the indentation wrong?");
  }

  // Explains a token that is not the next entry of a mapping or item of a list without brackets.
  [[nodiscard]] PositionedError OutOfPlace() const {
    const bool is_map = Says(said::END_OF_MAP);
    const std::string found = text_.FoundLine(byte_);
    if (byte_ != text_.LineContent(byte_)) {
      return Here(Concat("expected the end of the line, found ", found));
    }
    const Position opened = builder_.OpenAt();
    if (text_.At(byte_).column != opened.column) {
      return Here(Concat("this line begins at column ", text_.At(byte_).column, ", but the ",
                         is_map ? "mapping" : "list", " that began on line ", opened.line,
                         " is at column ", opened.column));
    }
    return Here(Concat("expected ", is_map ? "a key and ': '" : "'- '", ", found ", found));
  }

  const YamlText& text_;
  const YamlBuilder& builder_;
  const std::string& said_;
  std::size_t byte_;
};

}  // namespace

PositionedError ExplainYamlFault(const YamlText& text, const YamlBuilder& builder,
                                 const YAML::Exception& fault) {
  return Explanation(text, builder, fault).Explain();
}

}  // namespace sluice
