#include "config/rules/rule_files.h"

#include <algorithm>
#include <filesystem>
#include <system_error>
#include <utility>

#include "config/syntax/file_text.h"
#include "sluice/result.h"

namespace sluice {
namespace {

namespace fs = std::filesystem;

RuleText Unread(std::string name, const Error& fault) {
  return {std::move(name), {}, fault.message};
}

RuleText ReadRuleFile(const std::string& path) {
  Result<std::string> text = ReadFileText(path);
  return text.ok() ? RuleText{path, std::move(text).value(), {}} : Unread(path, text.error());
}

void ReadDirectory(const std::string& directory, std::vector<RuleText>& texts) {
  std::vector<std::string> files;
  std::error_code error;
  for (auto at = fs::directory_iterator(directory, error); !error && at != fs::end(at);
       at.increment(error)) {
    if (!IsRuleFileName(at->path().filename().string())) continue;
    std::error_code unknown;
    const fs::file_status status = at->status(unknown);
    // If the status is unknown, reading the file reports the reason.
    if (unknown || fs::is_regular_file(status)) files.push_back(at->path());
  }
  if (error) {
    texts.push_back(Unread(directory, CannotRead(error.value())));
  } else if (files.empty()) {
    texts.push_back(Unread(directory, {"has no rule files; expected *.yaml, *.yml or *.json"}));
  }
  std::sort(files.begin(), files.end());
  for (const std::string& file : files) texts.push_back(ReadRuleFile(file));
}

}  // namespace

bool IsRuleFileName(std::string_view name) {
  return !name.starts_with('.') &&
         (name.ends_with(".yaml") || name.ends_with(".yml") || name.ends_with(".json"));
}

std::vector<RuleText> ReadRuleFiles(std::span<const std::string> paths) {
  std::vector<RuleText> texts;
  for (const std::string& path : paths) {
    std::error_code ignored;
    if (fs::is_directory(path, ignored)) {
      ReadDirectory(path, texts);
    } else {
      texts.push_back(ReadRuleFile(path));
    }
  }
  return texts;
}

}  // namespace sluice
