// Fuzzes the reader of HTTP/1 heads: the result does not depend on how the bytes are split, and
// accepted heads are verified by an independent check.
//
// The first byte chooses the size of the parts; the rest is what a client sends.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "fuzz/must.h"
#include "wire/http1/http1_head.h"

namespace sluice::fuzz {
namespace {

constexpr Http1Bounds kBounds{.max_head_bytes = 1024,
                              .max_target_bytes = 128,
                              .max_fields = 16,
                              .max_content_bytes = 1'000'000};

std::string Lower(std::string_view text) {
  std::string lower(text);
  for (char& c : lower) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  return lower;
}

// Returns the lines of a head, split at CR LF.
std::vector<std::string> Lines(std::string_view head) {
  std::vector<std::string> lines;
  for (std::size_t end = 0; (end = head.find("\r\n")) != std::string_view::npos;) {
    lines.emplace_back(head.substr(0, end));
    head.remove_prefix(end + 2);
  }
  Must(head.empty() && lines.size() >= 2 && lines.back().empty(), "a head ends in an empty line");
  lines.pop_back();
  return lines;
}

std::ptrdiff_t CountOf(std::string_view name, const Http1Head& head) {
  return std::count_if(head.fields.begin(), head.fields.end(),
                       [&](const Header& field) { return Lower(field.name) == name; });
}

void MustBeLine(const std::string& line) {
  Must(!line.empty(), "only the end of a head is empty");
  for (const char c : line) {
    const auto byte = static_cast<unsigned char>(c);
    Must((byte >= 0x20 && byte != 0x7F) || byte == '\t', "no line holds control characters");
  }
}

void MustBeAccepted(std::string_view bytes, const Http1Head& head) {
  std::vector<std::string> lines = Lines(bytes);
  for (const std::string& line : lines) MustBeLine(line);
  Must(lines.front().starts_with(std::string(head.method) + " "), "the method comes first");
  Must(lines.front().find(head.target) != std::string::npos, "the target is in the first line");
  Must(head.target.size() <= kBounds.max_target_bytes, "a target is within its bounds");
  lines.erase(lines.begin());
  Must(lines.size() == head.fields.size() && lines.size() <= kBounds.max_fields,
       "each line is a field");
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const Header& field = head.fields[i];
    const std::string start = std::string(field.name) + ":";
    Must(lines[i].starts_with(start), "a field begins with its name");
    std::string rest = lines[i].substr(start.size());
    rest.erase(0, rest.find_first_not_of(" \t"));
    rest.erase(rest.find_last_not_of(" \t") + 1);
    Must(rest == field.value, "the rest of a field is its value");
  }
  const auto lengths = CountOf("content-length", head);
  const auto encodings = CountOf("transfer-encoding", head);
  const auto hosts = CountOf("host", head);
  const bool is_1_1 = head.version == Http1Version::k11;
  Must(lengths + encodings <= 1, "the length of the body has one answer");
  Must(hosts == 1 || (hosts == 0 && !is_1_1), "there is one Host");
  Must(head.is_chunked == (encodings == 1) && (!head.is_chunked || is_1_1),
       "an encoding is chunked");
  Must(head.content_length.has_value() == (lengths == 1), "a length is a number");
  Must(head.content_length.value_or(0) <= kBounds.max_content_bytes, "a length is within bounds");
}

// The status (0 if more bytes are needed), and the size of an accepted head.
struct Outcome {
  int status = 0;
  std::size_t consumed = 0;

  friend bool operator==(const Outcome&, const Outcome&) = default;
};

Outcome Feed(std::string_view bytes, std::size_t part) {
  Http1HeadReader reader(kBounds);
  for (std::size_t size = 0; size < bytes.size();) {
    size = std::min(size + part, bytes.size());
    const std::vector<char> unread(bytes.begin(),
                                   bytes.begin() + static_cast<std::ptrdiff_t>(size));
    const Http1HeadRead read = reader.Read({unread.data(), unread.size()});
    if (read.state == ReadState::kFault) {
      Must(!read.fault.text.empty(), "a fault says what it is");
      return {read.fault.status, 0};
    }
    if (read.state == ReadState::kMore) continue;
    Must(read.consumed <= size && read.consumed <= kBounds.max_head_bytes, "a head is in bounds");
    MustBeAccepted(bytes.substr(0, read.consumed), reader.head());
    return {200, read.consumed};
  }
  return {};
}

void Run(std::string bytes, std::size_t part) {
  // With small parts, an error may be found only at the end of the head, so make sure there is one.
  bytes += "\r\n\r\n";
  const Outcome whole = Feed(bytes, bytes.size());
  Must(whole.status != 0, "an empty line ends every head");
  Must(Feed(bytes, part) == whole, "what becomes of a head does not depend on the parts");
}

}  // namespace
}  // namespace sluice::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  sluice::fuzz::Run(std::string(data + 1, data + size), data[0] % 32 + 1U);
  return 0;
}
