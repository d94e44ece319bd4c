#include "config/rules/read_rules.h"

#include <cstddef>
#include <cstdint>
#include <utility>
#include <variant>

#include "base/value.h"
#include "config/rules/merge_documents.h"
#include "config/rules/read_document.h"
#include "config/syntax/config_reader.h"
#include "config/syntax/read_values.h"
#include "rules/check/check_rules.h"

namespace sluice {
namespace {

// A file without any content was most likely read while it was being written, and must not be taken
// for a file without rules. Empty documents next to others, for example after a final `---`, are
// fine.
void ReadDocuments(const std::vector<Value>& documents, ConfigReader& reading,
                   DocumentMerger& merger) {
  bool found = false;
  for (const Value& value : documents) {
    if (value.IsNull()) continue;
    found = true;
    merger.Add(ReadDocument(value, reading));
  }
  if (found) return;
  reading.Error({1, 1}, "the file is empty; expected a document with a 'domain'");
  merger.Add({});
}

// Whether all texts could be read and parsed as YAML or JSON.
enum class Syntax : std::uint8_t { kGood, kBad };

Syntax ReadAll(std::span<const RuleText> texts, const ZoneSource& zones, RuleSetSpec& spec,
               ConfigProblems& problems) {
  Syntax syntax = Syntax::kGood;
  for (const RuleText& text : texts) spec.files.push_back(text.name);
  DocumentMerger merger(spec, problems);
  for (std::size_t i = 0; i < texts.size(); ++i) {
    ConfigReader reading(static_cast<std::uint32_t>(i), zones, problems);
    if (!texts[i].fault.empty()) {
      reading.Error({}, texts[i].fault);
      syntax = Syntax::kBad;
      continue;
    }
    auto documents = ReadValues(texts[i].name, texts[i].text);
    if (auto* error = std::get_if<PositionedError>(&documents)) {
      reading.Error(error->at, std::move(error->message));
      syntax = Syntax::kBad;
    } else {
      ReadDocuments(*std::get_if<std::vector<Value>>(&documents), reading, merger);
    }
  }
  merger.Finish();
  return syntax;
}

}  // namespace

ReadRulesResult ReadRules(std::span<const RuleText> texts, const ZoneSource& zones) {
  ReadRulesResult result;
  ConfigProblems problems;
  ReadAll(texts, zones, result.spec, problems);
  result.problems = problems.Take();
  return result;
}

ReadRulesResult ReadAndCheckRules(std::span<const RuleText> texts, const ZoneSource& zones) {
  ReadRulesResult result;
  ConfigProblems problems;
  if (ReadAll(texts, zones, result.spec, problems) == Syntax::kGood) {
    CheckRules(result.spec, problems);
  }
  result.problems = problems.Take();
  return result;
}

}  // namespace sluice
