#include "rules/compile/regex.h"

#include <re2/re2.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>

#include "base/text.h"
#include "base/utf8.h"

namespace sluice {
namespace {

// The maximum memory of one expression: its program and the states of its DFA. RE2's default is 8
// MB, but a domain may have thousands of expressions; 1 MB is some 10,000 instructions.
constexpr std::int64_t kMaxMemory = std::int64_t{1} << 20U;

re2::RE2::Options MakeOptions() {
  re2::RE2::Options options;
  options.set_encoding(re2::RE2::Options::EncodingUTF8);
  options.set_max_mem(kMaxMemory);
  options.set_log_errors(false);
  options.set_never_capture(true);
  return options;
}

re2::StringPiece ToPiece(std::string_view text) { return {text.data(), text.size()}; }

// Returns the text with U+FFFD for each byte that is not UTF-8.
std::string WithReplacements(std::string_view text) {
  std::string out;
  while (!text.empty()) {
    const std::size_t size = Utf8SizeAt(text);
    out += size == 0 ? std::string_view("\xEF\xBF\xBD") : text.substr(0, size);
    text.remove_prefix(std::max<std::size_t>(size, 1));
  }
  return out;
}

// RE2 reports "reason: piece". The piece is quoted separately, because it is untrusted input.
std::string Reason(const re2::RE2& compiled) {
  const std::string& piece = compiled.error_arg();
  std::string_view reason = compiled.error();
  if (piece.empty()) return std::string(reason);
  const std::string tail = Concat(": ", piece);
  if (reason.ends_with(tail)) reason.remove_suffix(tail.size());
  return Concat(reason, " in ", Quoted(piece));
}

}  // namespace

Regex::Regex(std::unique_ptr<const re2::RE2> compiled) : compiled_(std::move(compiled)) {}
Regex::Regex(Regex&&) noexcept = default;
Regex& Regex::operator=(Regex&&) noexcept = default;
Regex::~Regex() = default;

Result<Regex> Regex::Compile(std::string_view pattern) {
  if (pattern.size() > kMaxRegexBytes) {
    return Error{Concat("a regex must be at most ", kMaxRegexBytes, " bytes, found ",
                        pattern.size(), "; write the values as a list")};
  }
  auto compiled = std::make_unique<const re2::RE2>(ToPiece(pattern), MakeOptions());
  if (!compiled->ok()) return Error{Concat("the regex does not compile: ", Reason(*compiled))};
  return Regex(std::move(compiled));
}

// RE2 matches only UTF-8, so without the replacement an invalid byte would be a way around `.*`.
bool Regex::MatchesWhole(std::string_view text) const {
  if (IsUtf8(text)) return re2::RE2::FullMatch(ToPiece(text), *compiled_);
  return re2::RE2::FullMatch(WithReplacements(text), *compiled_);
}

std::size_t Regex::Size() const { return static_cast<std::size_t>(compiled_->ProgramSize()); }

}  // namespace sluice
