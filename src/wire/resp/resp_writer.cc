#include "wire/resp/resp_writer.h"

#include <algorithm>
#include <array>
#include <cassert>
#include <charconv>

#include "base/ascii.h"

namespace sluice {
namespace {

constexpr std::size_t kMaxNumberLine = 24;  // type byte, number of 20 characters, CR LF

// Writes a line with a number. Returns its end.
char* WriteNumberLine(char type, std::int64_t value, char* line) {
  *line++ = type;
  if (value >= 0 && value <= 9) {
    *line++ = static_cast<char>('0' + value);
  } else {
    line = std::to_chars(line, line + kMaxNumberLine - 3, value).ptr;
  }
  *line++ = '\r';
  *line++ = '\n';
  return line;
}

}  // namespace

void RespWriter::NumberLine(char type, std::int64_t value) {
  std::array<char, kMaxNumberLine> line;
  const char* const end = WriteNumberLine(type, value, line.data());
  out_->append(line.data(), static_cast<std::size_t>(end - line.data()));
}

void RespWriter::Integers(std::span<const std::int64_t> values) {
  constexpr std::size_t kMax = 8;
  assert(values.size() <= kMax);
  std::array<char, (kMax + 1) * kMaxNumberLine> lines;
  char* end = WriteNumberLine('*', static_cast<std::int64_t>(values.size()), lines.data());
  for (const std::int64_t value : values) end = WriteNumberLine(':', value, end);
  out_->append(lines.data(), static_cast<std::size_t>(end - lines.data()));
}

void RespWriter::Line(std::string_view text) {
  const std::size_t begin = out_->size();
  out_->append(text);
  std::replace_if(out_->begin() + static_cast<std::ptrdiff_t>(begin), out_->end(), IsControl, ' ');
  out_->append("\r\n");
}

void RespWriter::Simple(std::string_view text) {
  out_->push_back('+');
  Line(text);
}

void RespWriter::Error(std::string_view code, std::string_view text) {
  out_->push_back('-');
  out_->append(code).push_back(' ');
  Line(text);
}

void RespWriter::Integer(std::int64_t value) { NumberLine(':', value); }

void RespWriter::Bulk(std::string_view text) {
  NumberLine('$', static_cast<std::int64_t>(text.size()));
  out_->append(text).append("\r\n");
}

void RespWriter::Null() { out_->append(version_ == RespVersion::k3 ? "_\r\n" : "$-1\r\n"); }

void RespWriter::Boolean(bool value) {
  if (version_ == RespVersion::k3) {
    out_->append(value ? "#t\r\n" : "#f\r\n");
  } else {
    NumberLine(':', value ? 1 : 0);
  }
}

void RespWriter::ArrayHeader(std::size_t elements) {
  NumberLine('*', static_cast<std::int64_t>(elements));
}

void RespWriter::MapHeader(std::size_t pairs) {
  if (version_ == RespVersion::k2) return ArrayHeader(2 * pairs);
  NumberLine('%', static_cast<std::int64_t>(pairs));
}

void RespWriter::SetHeader(std::size_t elements) {
  NumberLine(version_ == RespVersion::k3 ? '~' : '*', static_cast<std::int64_t>(elements));
}

}  // namespace sluice
