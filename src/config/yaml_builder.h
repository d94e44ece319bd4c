// YamlBuilder: makes Values of yaml-cpp's events, and refuses what yaml.h says is refused.
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

#include "config/yaml_text.h"
#include "core/value.h"

namespace sluice {

// What the builder throws, through yaml-cpp, to end the reading. It never leaves ReadYaml.
struct YamlRefusal {
  PositionedError error;
};

// The byte of the text that a mark means: not negative.
std::size_t ByteOf(const YAML::Mark& mark);

// Thread safety: none. The text belongs to the caller and must outlive it.
//
// Invariants, whatever the events:
//   1. at most kYamlNodesMost values are made, copies included, and a copy is counted first;
//   2. no value is nested deeper than kYamlDepthMost, so that copying and ending one is shallow;
//   3. between events, each open map either waits for a key or has an entry that lacks its value.
class YamlBuilder final : public YAML::EventHandler {
 public:
  explicit YamlBuilder(const YamlText& text) : text_(text) {}

  // The documents that were read to their end; once.
  std::vector<Value> TakeDocuments() { return std::move(documents_); }
  // Where the innermost list or map that is open begins; unknown if none is.
  [[nodiscard]] Position OpenAt() const { return open_.empty() ? Position{} : open_.back().at; }
  // The place in the text of the last event that had one.
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
  // How much there is to copy of a value: itself and all in it.
  struct Size {
    std::size_t nodes = 1;
    std::size_t bytes = 0;
    std::size_t height = 0;  // lists and maps inside one another
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
    std::uint32_t key_column = 0;  // of the last key, its anchor and tag included
    Size size = {1, 0, 1};
  };

  // The place of an event, past its anchor and tag.
  Position Note(const YAML::Mark& mark);
  // Counts values about to be made.
  void Count(std::size_t nodes, Position at);
  // Counts values and bytes about to be copied.
  void CountCopy(const Size& size, Position at);

  [[nodiscard]] bool WaitsForKey() const;
  [[nodiscard]] bool WaitsForValue() const;
  // Refuses a plain scalar, of the last event, that goes on in the next line of a secret text:
  // there it is an entry that lacks a blank after its ':', and what reads the value would show it.
  void CheckOneLine(const std::string& value, Position at) const;
  // Refuses a value, of the last event, that is indented like its key.
  void CheckIndented() const;
  // Where an empty value is said to stand whose event has the mark `byte`.
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
  std::unordered_map<YAML::anchor_t, Anchored> anchors_;  // of this document, by yaml-cpp's number
  std::size_t nodes_ = 0;
  std::size_t copied_bytes_ = 0;
  std::size_t last_byte_ = 0;
};

// The alias at the byte, for messages: "the alias '*a'".
std::string AliasAt(const YamlText& text, std::size_t byte);

// Runs yaml-cpp over the text. Throws YamlRefusal and what yaml-cpp throws.
void ParseYaml(std::string_view text, YamlBuilder& builder);

}  // namespace sluice
