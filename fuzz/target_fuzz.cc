// Fuzzes the parsers of request metadata with the same bytes: path, query, Cookie field, and the
// fields that proxies add.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "fuzz/must.h"
#include "support/path_readings.h"
#include "wire/cookie.h"
#include "wire/forwarded.h"
#include "wire/query.h"
#include "wire/target.h"

namespace sluice::fuzz {
namespace {

bool IsWithin(std::string_view part, std::string_view text) {
  return part.data() >= text.data() && part.data() + part.size() <= text.data() + text.size();
}

std::vector<std::string> Segments(std::string_view path) {
  std::vector<std::string> segments(1);
  for (const char c : path) {
    if (c == '/') {
      segments.emplace_back();
    } else {
      segments.back() += c;
    }
  }
  return segments;
}

// Joins segments and resolves dots.
std::string Resolved(const std::vector<std::string>& segments) {
  std::vector<std::string> kept;
  for (const std::string& segment : segments) {
    if (segment == ".." && !kept.empty()) kept.pop_back();
    if (!segment.empty() && segment != "." && segment != "..") kept.push_back(segment);
  }
  std::string normal;
  for (const std::string& segment : kept) normal += "/" + segment;
  const std::string& last = segments.back();
  const bool is_folder = last.empty() || last == "." || last == "..";
  return is_folder || kept.empty() ? normal + "/" : normal;
}

// Computes the strict form independently: decodes escapes in the text, then resolves a list of
// segments.
std::string NaiveStrict(std::string path) {
  for (std::size_t i = 0; i < path.size(); ++i) {
    if (path[i] != '%') continue;
    std::string digits = path.substr(i + 1, 2);
    for (char& c : digits) c = c >= 'a' ? static_cast<char>(c - 'a' + 'A') : c;
    const int byte = std::stoi(digits, nullptr, 16);
    const bool is_plain = (byte >= '0' && byte <= '9') || (byte >= 'A' && byte <= 'Z') ||
                          (byte >= 'a' && byte <= 'z') || byte == '-' || byte == '.' ||
                          byte == '_' || byte == '~';
    if (is_plain) {
      path.replace(i, 3, 1, static_cast<char>(byte));
    } else {
      path.replace(i + 1, 2, digits);
    }
  }
  for (std::size_t i = 0; i < path.size(); ++i) {
    const auto byte = static_cast<unsigned char>(path[i]);
    if (byte < 0x80) continue;
    constexpr std::string_view kDigits = "0123456789ABCDEF";
    path.replace(i, 1, {'%', kDigits[byte / 16U], kDigits[byte % 16U]});
  }
  return Resolved(Segments(path));
}

// Computes the lenient form step by step: decodes, splits at slashes, cuts parameters.
std::string NaiveLenient(std::string path) {
  for (std::size_t i = 0; i < path.size(); ++i) {
    if (path[i] != '%') continue;
    path.replace(i, 3, 1, static_cast<char>(std::stoi(path.substr(i + 1, 2), nullptr, 16)));
  }
  std::ranges::replace(path, '\\', '/');
  std::vector<std::string> segments = Segments(path);
  for (std::string& segment : segments) segment.resize(std::min(segment.find(';'), segment.size()));
  std::string& last = segments.back();
  last.resize(std::min(last.find_first_of("?#"), last.size()));
  return Resolved(segments);
}

// Checks that no application reads an accepted path in a third way.
void MustHaveTwoReadings(std::string_view path, const PathForms& forms) {
  constexpr std::size_t kMaxBytes = 256;  // there are almost a hundred readings to compute
  if (path.empty() || path.size() > kMaxBytes) return;
  const testing::PathReading strict = testing::ReadingOfStrict(forms.strict);
  const testing::PathReading lenient = testing::ReadingOfLenient(forms.lenient);
  for (const testing::PathLeniency& leniency : testing::AllPathLeniencies()) {
    const testing::PathReading reading = testing::ReadPath(path, leniency);
    Must(reading == strict || reading == lenient, "an accepted path has two readings");
  }
}

void CheckPath(std::string_view path) {
  PathScratch scratch;
  const auto result = NormalPath(path, scratch);
  if (const auto* const fault = std::get_if<PathFault>(&result)) {
    Must(!fault->reason.empty(), "a fault has a reason");
    return;
  }
  const auto& forms = std::get<PathForms>(result);
  const std::string sent(path.substr(0, path.find('#')));
  Must(forms.strict == NaiveStrict(sent), "a strict form is what the naive one is");
  Must(forms.lenient == NaiveLenient(sent), "a lenient form is what the naive one is");
  PathScratch other;
  const auto again = NormalPath(forms.strict, other);
  const auto* const same = std::get_if<PathForms>(&again);
  Must(same != nullptr && same->strict == forms.strict, "the form of a form is itself");
  MustHaveTwoReadings(sent, forms);
}

void MustHavePhpName(std::string_view name) {
  std::string scratch;
  const std::string php_name(PhpName(name, scratch));
  Must(php_name.size() <= name.size(), "PHP makes no name longer");
  Must(PhpName(php_name, scratch) == php_name, "PHP's name of a name in PHP is itself");
  constexpr std::string_view kNever(". \t\0", 4);
  Must(php_name.find_first_of(kNever) == std::string::npos, "no name in PHP has blanks or dots");
}

void ReadQuery(std::string_view query) {
  std::string scratch;
  QueryReader reader(query);
  while (const auto parameter = reader.Next()) {
    Must(IsWithin(parameter->name, query) && IsWithin(parameter->value, query), "views the query");
    for (const std::string_view text : {parameter->name, parameter->value}) {
      const auto decoded = DecodeQuery(text, scratch);
      Must(!decoded || decoded->size() <= text.size(), "decoding makes nothing longer");
      MustHavePhpName(decoded.value_or(text));
    }
  }
}

void ReadCookies(std::string_view text) {
  CookieReader reader(text);
  while (const auto cookie = reader.Next()) {
    Must(!cookie->name.empty(), "a cookie has a name");
    Must(IsWithin(cookie->name, text) && IsWithin(cookie->value, text), "views the field");
  }
}

template <typename Reader>
void ReadAddresses(const std::vector<std::string_view>& values) {
  Reader reader(values);
  while (const auto address = reader.Next()) {
    Must(!address->empty(), "an address has a text");
    Must(address->find_first_not_of("0123456789abcdefABCDEF.:") == std::string_view::npos,
         "an address consists of what addresses do");
  }
  Must(!reader.Next(), "the end is final");
}

void Run(std::string_view text) {
  const Target target = SplitTarget(text);
  CheckPath(target.path);
  ReadQuery(target.query);
  ReadCookies(text);
  std::vector<std::string_view> lines;
  for (std::string_view rest = text; !rest.empty();) {
    const std::size_t end = std::min(rest.find('\n'), rest.size());
    lines.push_back(rest.substr(0, end));
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  ReadAddresses<ForwardedForReader>(lines);
  ReadAddresses<ForwardedReader>(lines);
}

}  // namespace
}  // namespace sluice::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::vector<char> text(data, data + size);
  sluice::fuzz::Run({text.data(), text.size()});
  return 0;
}
