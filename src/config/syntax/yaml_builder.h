// YamlBuilder: builds Values from yaml-cpp's events, with the rules and limits of yaml.h.
#pragma once

#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/mark.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/value.h"
#include "config/syntax/yaml_text.h"

namespace sluice {

// Thrown by the builder through yaml-cpp to stop the parser. It never leaves ReadYaml.
struct YamlRefusal {
  PositionedError error;
};

// Returns the byte offset of a mark; never negative.
std::size_t ByteOf(const YAML::Mark& mark);

// Thread safety: none. Does not own the text, which must outlive it.
//
// Invariants, whatever the events:
//   1. At most kMaxYamlNodes values are created, including copies; a copy is counted before it is
//      made.
//   2. No value is nested deeper than kMaxYamlDepth, so copying and destroying one recurse at most
//      that deep.
//   3. Between events, each open map either waits for a key or has an entry that lacks its value.
class YamlBuilder final : public YAML::EventHandler {
 public:
  explicit YamlBuilder(const YamlText& text) : text_(text) {}

  // Returns the documents that were parsed completely. Call it only once.
  std::vector<Value> TakeDocuments() { return std::move(documents_); }
  // Returns where the innermost open list or map begins; an unknown position if none is open.
  [[nodiscard]] Position OpenAt() const { return open_.empty() ? Position{} : open_.back().at; }
  // Returns the byte offset of the last event that had a position.
  [[nodiscard]] std::size_t LastByte() const { return last_byte_; }

  void OnDocumentStart(const YAML::Mark& mark) override;
  void OnDocumentEnd() override {}
  void OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) override;
  void OnAlias(const YAML::Mark& mark, YAML::anchor_t anchor) override;
  void OnScalar(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                const std::string& value) override;
  void OnSequenceStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                       YAML::EmitterStyle::value style) override;
  void OnSequenceEnd() override { Close(); }
  void OnMapStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                  YAML::EmitterStyle::value style) override;
  void OnMapEnd() override { Close(); }

 private:
  // The cost of copying a value: the value itself and everything in it.
  struct Size {
    std::size_t nodes = 1;
    std::size_t bytes = 0;
    std::size_t height = 0;  // nesting depth of lists and maps
  };

  struct Anchored {
    Value value;
    Size size;
  };

  enum class Kind : std::uint8_t { kList, kMap };

  // A list or map that is not closed yet.
  struct Frame {
    Kind kind = Kind::kList;
    bool is_key = false;
    bool in_brackets = false;
    Position at;
    YAML::anchor_t anchor = YAML::NullAnchor;
    Value::List items;
    Value::Map entries;
    bool waits_for_key = true;
    std::uint32_t key_column = 0;  // of the last key, including its anchor and tag
    Size size = {1, 0, 1};
  };

  // Records the position of an event. Returns the position after its anchor and tag.
  Position Note(const YAML::Mark& mark);
  // Counts values that are about to be created.
  void Count(std::size_t nodes, Position at);
  // Counts values and bytes that are about to be copied.
  void CountCopy(const Size& size, Position at);

  [[nodiscard]] bool WaitsForKey() const;
  [[nodiscard]] bool WaitsForValue() const;
  // Rejects a plain scalar of the last event if it continues on the next line of a secret text.
  // That line is probably an entry without a blank after its ':', and messages about the value
  // would reveal it.
  void CheckOneLine(const std::string& value, Position at) const;
  // Rejects a value of the last event that is indented like its key.
  void CheckIndented() const;
  // Returns the position that is reported for an empty value whose event has the mark `byte`.
  [[nodiscard]] Position EmptyAt(std::size_t byte) const;

  void Open(Kind kind, Position at, const std::string& tag, YAML::anchor_t anchor);
  void Close();
  void AddNullKey(std::size_t byte, YAML::anchor_t anchor);
  void AddKey(std::string key, Position at);
  void Add(Value value, const Size& size, YAML::anchor_t anchor);
  void Keep(YAML::anchor_t anchor, const Value& value, const Size& size);

  const YamlText& text_;
  std::vector<Value> documents_;
  Position document_at_;
  std::vector<Frame> open_;
  std::unordered_map<YAML::anchor_t, Anchored> anchors_;  // of this document, by yaml-cpp's id
  std::size_t nodes_ = 0;
  std::size_t copied_bytes_ = 0;
  std::size_t last_byte_ = 0;
};

// Describes the alias at the byte for messages: "the alias '*a'".
std::string AliasAt(const YamlText& text, std::size_t byte);

// Runs yaml-cpp over the text. Throws YamlRefusal and yaml-cpp's exceptions.
void ParseYaml(std::string_view text, YamlBuilder& builder);

}  // namespace sluice
