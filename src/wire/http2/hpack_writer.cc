#include "wire/http2/hpack_writer.h"

#include <cstddef>
#include <cstdint>

#include "base/ascii.h"

namespace sluice {
namespace {

constexpr char kCapacityOfNone = 0x20;
constexpr char kStatusName = 0x08;  // literal field without indexing, name ":status"
constexpr char kNewName = 0x00;     // literal field without indexing, new name

// Appends the length of a text that is not Huffman-coded.
void AppendLength(std::size_t length, std::string& out) {
  constexpr std::size_t kMaxPrefix = 0x7F;
  if (length < kMaxPrefix) {
    out.push_back(static_cast<char>(length));
    return;
  }
  out.push_back(static_cast<char>(kMaxPrefix));
  length -= kMaxPrefix;
  for (; length >= 0x80; length >>= 7U) out.push_back(static_cast<char>(length | 0x80U));
  out.push_back(static_cast<char>(length));
}

// Returns the index of the ":status" field with this value in the static table, or 0 if there is
// none.
std::uint8_t NumberOfStatus(int status) {
  switch (status) {
    case 200:
      return 8;
    case 204:
      return 9;
    case 206:
      return 10;
    case 304:
      return 11;
    case 400:
      return 12;
    case 404:
      return 13;
    case 500:
      return 14;
    default:
      return 0;
  }
}

}  // namespace

void AppendHpackStart(std::string& out) { out.push_back(kCapacityOfNone); }

void AppendHpackStatus(int status, std::string& out) {
  if (const std::uint8_t number = NumberOfStatus(status); number != 0) {
    out.push_back(static_cast<char>(0x80U | number));
    return;
  }
  out.push_back(kStatusName);
  AppendLength(3, out);
  for (const int unit : {100, 10, 1}) out.push_back(static_cast<char>('0' + status / unit % 10));
}

void AppendHpackField(std::string_view name, std::string_view value, std::string& out) {
  out.push_back(kNewName);
  AppendLength(name.size(), out);
  const std::size_t begin = out.size();
  out.append(name);
  for (std::size_t i = begin; i < out.size(); ++i) out[i] = ToLower(out[i]);
  AppendLength(value.size(), out);
  out.append(value);
}

}  // namespace sluice
