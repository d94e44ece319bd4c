#include "doctor/finding.h"

#include <algorithm>
#include <cstddef>

#include "base/text.h"
#include "console/json_text.h"

namespace sluice::cli {
namespace {

constexpr std::size_t kGradeWidth = 9;
constexpr std::size_t kCheckWidth = 13;

std::string Gap(std::string_view text, std::size_t width) {
  return std::string(width - std::min(width, text.size()), ' ');
}

Emphasis EmphasisOf(Grade grade) {
  if (grade == Grade::kOk) return Emphasis::kGreen;
  return grade == Grade::kWarning ? Emphasis::kYellow : Emphasis::kRed;
}

}  // namespace

std::string_view NameOf(Grade grade) {
  if (grade == Grade::kOk) return "ok";
  return grade == Grade::kWarning ? "warning" : "failure";
}

std::string FindingText(const Finding& finding, ColorMode ink) {
  const std::string_view grade = NameOf(finding.grade);
  return Concat(Emphasized(ink, EmphasisOf(finding.grade), grade), Gap(grade, kGradeWidth),
                finding.check, Gap(finding.check, kCheckWidth), finding.where, ": ", finding.found,
                finding.advice.empty() ? "" : "; ", finding.advice, "\n");
}

std::string FindingJson(const Finding& finding) {
  return Concat(R"({"grade":)", JsonString(NameOf(finding.grade)), R"(,"check":)",
                JsonString(finding.check), R"(,"where":)", JsonString(finding.where),
                R"(,"found":)", JsonString(finding.found), R"(,"advice":)",
                finding.advice.empty() ? "null" : JsonString(finding.advice), "}\n");
}

}  // namespace sluice::cli
