#include "config/rule_files.h"

#include <algorithm>
#include <filesystem>
#include <system_error>
#include <utility>

#include "config/file_text.h"
#include "core/text.h"

namespace sluice {
namespace {

namespace fs = std::filesystem;

Result<std::vector<std::string>> FilesIn(const std::string& directory) {
  std::vector<std::string> files;
  std::error_code error;
  for (auto at = fs::directory_iterator(directory, error); !error && at != fs::end(at);
       at.increment(error)) {
    if (!IsRuleFileName(at->path().filename().string())) continue;
    std::error_code unknown;
    const fs::file_status status = at->status(unknown);
    if (unknown) return CannotRead(at->path(), unknown.value());
    if (fs::is_regular_file(status)) files.push_back(at->path());
  }
  if (error) return CannotRead(directory, error.value());
  if (files.empty()) {
    return Error{Concat(Quoted(directory), " has no rule files; expected *.yaml, *.yml or *.json")};
  }
  std::sort(files.begin(), files.end());
  return files;
}

}  // namespace

bool IsRuleFileName(std::string_view name) {
  return !name.starts_with('.') &&
         (name.ends_with(".yaml") || name.ends_with(".yml") || name.ends_with(".json"));
}

Result<std::vector<RuleText>> ReadRuleFiles(std::span<const std::string> paths) {
  std::vector<RuleText> texts;
  for (const std::string& path : paths) {
    std::vector<std::string> files = {path};
    std::error_code ignored;
    if (fs::is_directory(path, ignored)) {
      Result<std::vector<std::string>> found = FilesIn(path);
      if (!found.ok()) return found.error();
      files = std::move(found).value();
    }
    for (const std::string& file : files) {
      Result<std::string> text = ReadFileText(file);
      if (!text.ok()) return text.error();
      texts.push_back({file, std::move(text).value()});
    }
  }
  return texts;
}

}  // namespace sluice
