// Fuzzes the loader of rule files with arbitrary bytes and, if it finds no errors, the compiler.
//
// The input is one or more files separated by the byte 1C, which no file can contain. Each file is
// preceded by a letter: 'j' for JSON, any other for YAML.
#include <cstddef>
#include <cstdint>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "config/rules/read_rules.h"
#include "fuzz/byte_reader.h"
#include "fuzz/must.h"
#include "fuzz/places.h"
#include "fuzz/zones.h"
#include "rules/compile/rule_set.h"

namespace sluice::fuzz {
namespace {

constexpr char kFileEnd = '\x1C';
constexpr std::size_t kMaxFiles = 8;

std::vector<RuleText> ReadFiles(ByteReader bytes) {
  std::vector<RuleText> files;
  do {
    const std::string number = std::to_string(files.size());
    const bool is_json = bytes.Byte() == 'j';
    files.push_back({number + (is_json ? ".json" : ".yaml"), bytes.BytesUntil(kFileEnd)});
  } while (!bytes.AtEnd() && files.size() < kMaxFiles);
  return files;
}

void MustCompile(RuleSetSpec spec) {
  const auto rules = RuleSet::Make(std::move(spec));
  std::set<std::string_view> ids;
  for (const RuleLimit& limit : rules->limits()) {
    Must(ids.insert(limit.id).second, "no two limits have one id");
  }
  for (const DomainSpec& domain : rules->spec().domains) {
    const Domain* found = rules->Find(domain.name);
    Must(found != nullptr && &found->spec() == &domain, "every domain is found by its name");
  }
}

void Read(const std::vector<RuleText>& files) {
  ReadRulesResult read = ReadAndCheckRules(files, FindZone);
  std::vector<Places> places;
  for (const RuleText& file : files) places.emplace_back(file.text);
  for (const ConfigProblem& problem : read.problems) {
    Must(problem.origin.file < files.size(), "a problem is in one of the files");
    places[problem.origin.file].MustHave(problem.origin.at);
    MustBeMessage(problem.message);
  }
  Must(ReadAndCheckRules(files, FindZone).problems == read.problems,
       "the same text has the same problems");
  if (!HasErrors(read.problems)) MustCompile(std::move(read.spec));
}

}  // namespace
}  // namespace sluice::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  sluice::fuzz::Read(sluice::fuzz::ReadFiles(sluice::fuzz::ByteReader(std::span(data, size))));
  return 0;
}
