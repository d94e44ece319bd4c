#include "config/read_rules.h"

#include <cstddef>
#include <cstdint>
#include <utility>
#include <variant>

#include "config/merge_documents.h"
#include "config/read_document.h"
#include "config/read_values.h"
#include "config/reading.h"
#include "core/value.h"
#include "rules/check_rules.h"

namespace sluice {
namespace {

// A file that says nothing at all was most likely cut off while it was written, and must not be
// taken for one that has no rules. Empty documents beside others, as a last `---` leaves them, do
// no harm.
void ReadDocuments(const std::vector<Value>& documents, Reading& reading, DocumentMerger& merger) {
  bool found = false;
  for (const Value& value : documents) {
    if (value.IsNull()) continue;
    found = true;
    merger.Add(ReadDocument(value, reading));
  }
  if (!found) reading.Error({1, 1}, "the file is empty; expected a document with a 'domain'");
}

}  // namespace

ReadRulesResult ReadRules(std::span<const RuleText> texts, const ZoneSource& zones) {
  ReadRulesResult result;
  ConfigProblems problems;
  for (const RuleText& text : texts) result.spec.files.push_back(text.name);
  DocumentMerger merger(result.spec, problems);
  for (std::size_t i = 0; i < texts.size(); ++i) {
    Reading reading(static_cast<std::uint32_t>(i), zones, problems);
    auto documents = ReadValues(texts[i].name, texts[i].text);
    if (auto* error = std::get_if<PositionedError>(&documents)) {
      reading.Error(error->at, std::move(error->message));
    } else {
      ReadDocuments(*std::get_if<std::vector<Value>>(&documents), reading, merger);
    }
  }
  merger.Finish();
  result.problems = problems.Take();
  return result;
}

ReadRulesResult ReadAndCheckRules(std::span<const RuleText> texts, const ZoneSource& zones) {
  ReadRulesResult result = ReadRules(texts, zones);
  if (!HasErrors(result.problems)) result.problems = CheckRules(result.spec);
  return result;
}

}  // namespace sluice
