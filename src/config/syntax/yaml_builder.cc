#include "config/syntax/yaml_builder.h"

#include <yaml-cpp/parser.h>

#include <algorithm>
#include <cassert>
#include <sstream>
#include <utility>

#include "base/text.h"
#include "config/syntax/duplicate_key.h"
#include "config/syntax/yaml.h"
#include "config/syntax/yaml_scalar.h"

namespace sluice {
namespace {

// The tags that yaml-cpp assigns to scalars without one. "!" may also be written, with the same
// meaning.
constexpr std::string_view kPlain = "?";
constexpr std::string_view kNotPlain = "!";
constexpr std::string_view kString = "tag:yaml.org,2002:str";

bool IsOneOf(std::string_view rest, std::string_view characters) {
  return !rest.empty() && characters.find(rest.front()) != std::string_view::npos;
}

// Returns whether a null is written here, as opposed to the text after an empty value.
bool IsNullWritten(std::string_view rest) {
  const std::string_view word = NullWordAt(rest);
  const std::string_view after = rest.substr(word.size());
  return !word.empty() && (after.empty() || IsOneOf(after, " \t\r\n,]}"));
}

[[noreturn]] void Refuse(Position at, std::string message) {
  throw YamlRefusal{{at, std::move(message)}};
}

[[noreturn]] void RefuseTag(std::string_view tag, Position at, Secrecy secrecy) {
  const std::string name = secrecy == Secrecy::kOpen ? Concat(" ", Quoted(ShortTag(tag))) : "";
  Refuse(at, Concat("unknown tag", name, "; the only one read is !!str"));
}

}  // namespace

std::size_t ByteOf(const YAML::Mark& mark) {
  return static_cast<std::size_t>(std::max(mark.pos, 0));
}

Position YamlBuilder::Note(const YAML::Mark& mark) {
  last_byte_ = ByteOf(mark);
  return text_.At(text_.SkipProperties(last_byte_));
}

void YamlBuilder::Count(std::size_t nodes, Position at) {
  if (nodes > kMaxYamlNodes - nodes_) {
    Refuse(at, Concat("more than ", kMaxYamlNodes, " values, counting what aliases repeat"));
  }
  nodes_ += nodes;
}

void YamlBuilder::CountCopy(const Size& size, Position at) {
  Count(size.nodes, at);
  if (size.bytes > kMaxYamlCopiedBytes - copied_bytes_) {
    Refuse(at, Concat("more than ", kMaxYamlCopiedBytes, " bytes of text repeated by aliases"));
  }
  copied_bytes_ += size.bytes;
}

bool YamlBuilder::WaitsForKey() const {
  return !open_.empty() && open_.back().kind == Kind::kMap && open_.back().waits_for_key;
}

bool YamlBuilder::WaitsForValue() const {
  return !open_.empty() && open_.back().kind == Kind::kMap && !open_.back().waits_for_key;
}

void YamlBuilder::CheckOneLine(const std::string& value, Position at) const {
  if (text_.TextSecrecy() == Secrecy::kOpen) return;
  // The lines of a plain scalar are folded into one; otherwise its value equals its text.
  if (text_.From(text_.SkipProperties(last_byte_)).starts_with(value)) return;
  Refuse(at, "a value without quotes must stand on one line; is the ': ' missing on the next?");
}

// yaml-cpp also accepts a value at the start of a line in the column of its key.
void YamlBuilder::CheckIndented() const {
  if (!WaitsForValue() || open_.back().in_brackets) return;
  const Frame& map = open_.back();
  const std::size_t byte = text_.SkipProperties(last_byte_);
  const Position at = text_.At(byte);
  if (at.line > map.entries.back().key_at.line && at.column == map.key_column &&
      byte == text_.LineContent(byte)) {
    Refuse(at, "a value below its key must be indented deeper than the key");
  }
}

void YamlBuilder::OnDocumentStart(const YAML::Mark& mark) {
  const std::size_t byte = ByteOf(mark);
  last_byte_ = byte;
  document_at_ = text_.At(byte);
  // If a document ends early, yaml-cpp starts another one with the rest.
  const bool is_marked = byte == text_.LineStart(byte) && IsDocumentMarker(text_.From(byte), "---");
  if (!documents_.empty() && !is_marked) {
    const bool begins_line = byte == text_.LineContent(byte);
    Refuse(document_at_, Concat("expected '---' or the end of the text, found ", text_.Found(byte),
                                begins_line ? "; is the indentation right?" : ""));
  }
  anchors_.clear();
}

void YamlBuilder::OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) {
  const std::size_t byte = ByteOf(mark);
  const std::size_t byte_before = std::exchange(last_byte_, byte);
  const Position at = text_.At(byte);
  if (WaitsForKey()) return AddNullKey(byte, anchor);
  const std::string_view rest = text_.From(byte);
  // yaml-cpp accepts a key without ':' before '---'; the null then has the position of the key.
  if (WaitsForValue() && !open_.back().in_brackets && byte == byte_before) {
    Refuse(at, Concat("expected a key and ': ', found ", text_.FoundLine(byte)));
  }
  if (!open_.empty() && open_.back().kind == Kind::kList && rest.starts_with(',')) {
    Refuse(at, "expected a value, found ','");
  }
  // At the end of the text, and only there, yaml-cpp does not pass on the tag.
  if (rest.starts_with('!')) Refuse(at, "expected a value after the tag");
  const bool is_written = IsNullWritten(rest);
  if (is_written) CheckIndented();
  Count(1, at);
  const bool is_empty = !is_written && !rest.starts_with('&');
  Add(Value(is_empty ? EmptyAt(byte) : at), Size{}, anchor);
}

// Returns the position that is reported for an empty value. yaml-cpp marks it with what follows it.
Position YamlBuilder::EmptyAt(std::size_t byte) const {
  if (open_.empty()) return document_at_;
  const Frame& frame = open_.back();
  if (frame.kind == Kind::kMap) return frame.entries.back().key_at;
  if (frame.items.empty()) return frame.at;
  // The '-' of the item begins the last line before it that is neither blank nor a comment.
  for (std::size_t line = text_.LineStart(byte);; line = text_.LineStart(line - 1)) {
    const std::size_t content = text_.LineContent(line);
    const std::string_view rest = text_.From(content);
    if (content < byte && rest.starts_with('-')) return text_.At(content);
    const bool is_passed = content >= byte || rest.empty() || IsOneOf(rest, "#\r\n");
    if (line == 0 || !is_passed) return frame.at;
  }
}

void YamlBuilder::OnAlias(const YAML::Mark& mark, YAML::anchor_t anchor) {
  const Position at = Note(mark);
  if (WaitsForKey()) Refuse(at, "an alias cannot be a key");
  const auto found = anchors_.find(anchor);
  if (found == anchors_.end()) {
    Refuse(at, Concat(AliasAt(text_, ByteOf(mark)), " stands inside what it repeats"));
  }
  const Anchored& anchored = found->second;
  if (open_.size() + anchored.size.height > kMaxYamlDepth) {
    Refuse(at, Concat("nested deeper than ", kMaxYamlDepth, " levels"));
  }
  CheckIndented();
  CountCopy(anchored.size, at);
  Add(anchored.value, anchored.size, YAML::NullAnchor);
}

void YamlBuilder::OnScalar(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                           const std::string& value) {
  const Position content_at = Note(mark);
  const Position at = value.empty() ? text_.At(last_byte_) : content_at;
  const bool is_plain = tag == kPlain;
  if (!is_plain && tag != kNotPlain && tag != kString) {
    RefuseTag(tag, text_.At(last_byte_), text_.TextSecrecy());
  }
  if (is_plain) CheckOneLine(value, at);
  Value made = is_plain ? ResolvePlain(value, at) : Value::String(RepairEscapes(value), at);
  const Size size{1, value.size(), 0};
  if (!WaitsForKey()) {
    if (!value.empty()) CheckIndented();
    Count(1, at);
    return Add(std::move(made), size, anchor);
  }
  if (is_plain && value == "<<") {
    Refuse(at, "the merge key '<<' is not read; repeat the entries, or use a list of limits");
  }
  if (anchor != YAML::NullAnchor) Keep(anchor, made, size);
  const std::string* const key = is_plain ? &value : made.AsString();
  assert(key != nullptr);
  AddKey(*key, at);
}

// Adds a key that yaml-cpp reports as a null: a null word, or a missing key.
void YamlBuilder::AddNullKey(std::size_t byte, YAML::anchor_t anchor) {
  const std::string_view rest = text_.From(byte);
  const Position at = text_.At(byte);
  if (const std::string_view word = NullWordAt(rest); !word.empty()) {
    if (anchor != YAML::NullAnchor) Keep(anchor, Value(at), Size{});
    return AddKey(std::string(word), at);
  }
  if (!rest.empty() && !IsOneOf(rest, ",:?}\r\n")) {
    Refuse(at, "expected a key and its ':' on one line, at most 1024 bytes long");
  }
  Refuse(at, Concat("expected a key, found ", text_.Found(byte)));
}

void YamlBuilder::OnSequenceStart(const YAML::Mark& mark, const std::string& tag,
                                  YAML::anchor_t anchor, YAML::EmitterStyle::value style) {
  const Position at = Note(mark);
  const bool in_brackets = style == YAML::EmitterStyle::Flow;
  // A list without brackets may begin in the column of its key.
  if (in_brackets) CheckIndented();
  Open(Kind::kList, at, tag, anchor);
  open_.back().in_brackets = in_brackets;
}

void YamlBuilder::OnMapStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                             YAML::EmitterStyle::value style) {
  const Position content_at = Note(mark);
  // A map without an anchor or tag of its own begins with the anchor of its first key.
  const bool is_bare = anchor == YAML::NullAnchor && tag == kPlain;
  const Position at = is_bare ? text_.At(last_byte_) : content_at;
  const bool in_brackets = style == YAML::EmitterStyle::Flow;
  if (in_brackets) CheckIndented();
  Open(Kind::kMap, at, tag, anchor);
  open_.back().in_brackets = in_brackets;
}

void YamlBuilder::Open(Kind kind, Position at, const std::string& tag, YAML::anchor_t anchor) {
  if (tag != kPlain && tag != kNotPlain) RefuseTag(tag, text_.At(last_byte_), text_.TextSecrecy());
  if (open_.size() == kMaxYamlDepth) {
    Refuse(at, Concat("nested deeper than ", kMaxYamlDepth, " levels"));
  }
  Count(1, at);
  const bool is_key = WaitsForKey();
  Frame& frame = open_.emplace_back();
  frame.kind = kind;
  frame.is_key = is_key;
  frame.at = at;
  frame.anchor = anchor;
}

void YamlBuilder::Close() {
  Frame frame = std::move(open_.back());
  open_.pop_back();
  const bool is_list = frame.kind == Kind::kList;
  // This check waits for the end, because yaml-cpp takes a bracket that is never closed for one
  // around a key.
  if (frame.is_key) {
    Refuse(frame.at, Concat(is_list ? "a list" : "a mapping",
                            " cannot be a key; text that looks like one needs quotes"));
  }
  if (is_list) {
    Add(Value::MakeList(std::move(frame.items), frame.at), frame.size, frame.anchor);
    return;
  }
  if (const Value::Entry* again = FindDuplicateKey(frame.entries)) {
    Refuse(again->key_at, DuplicateKey(again->key, text_.TextSecrecy()));
  }
  Add(Value::MakeMap(std::move(frame.entries), frame.at), frame.size, frame.anchor);
}

void YamlBuilder::AddKey(std::string key, Position at) {
  Frame& map = open_.back();
  map.size.bytes += key.size();
  map.key_column = text_.At(last_byte_).column;
  map.entries.push_back({std::move(key), at, Value()});
  map.waits_for_key = false;
}

void YamlBuilder::Add(Value value, const Size& size, YAML::anchor_t anchor) {
  if (anchor != YAML::NullAnchor) Keep(anchor, value, size);
  if (open_.empty()) {
    documents_.push_back(std::move(value));
    return;
  }
  Frame& parent = open_.back();
  parent.size.nodes += size.nodes;
  parent.size.bytes += size.bytes;
  parent.size.height = std::max(parent.size.height, size.height + 1);
  if (parent.kind == Kind::kList) {
    parent.items.push_back(std::move(value));
    return;
  }
  parent.entries.back().value = std::move(value);
  parent.waits_for_key = true;
}

void YamlBuilder::Keep(YAML::anchor_t anchor, const Value& value, const Size& size) {
  CountCopy(size, value.At());
  anchors_.insert_or_assign(anchor, Anchored{value, size});
}

std::string AliasAt(const YamlText& text, std::size_t byte) {
  if (text.TextSecrecy() == Secrecy::kSecret) return "this alias";
  const std::string_view rest = text.From(byte);
  return Concat("the alias ", Quoted(rest.substr(0, rest.find_first_of(" \t\r\n,[]{}"))));
}

void ParseYaml(std::string_view text, YamlBuilder& builder) {
  // yaml-cpp 0.7 parses a last line without a newline differently (it takes a text without ':' for
  // a key), and takes a string that is still open at the last newline for closed. A comment after
  // that newline prevents both: inside a string it is text that is not closed, and elsewhere it
  // changes nothing.
  std::string ended(text);
  if (!ended.ends_with('\n')) ended += '\n';
  ended += '#';
  std::istringstream stream(std::move(ended));
  YAML::Parser parser(stream);
  while (parser.HandleNextDocument(builder)) {
  }
}

}  // namespace sluice
