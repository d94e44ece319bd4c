// Fuzzes HPACK decoding with the blocks of one peer: the result equals nghttp2's, and reads the
// same after it is written.
//
// Each block is preceded by a byte with its length; 255 means all remaining bytes.
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "fuzz/byte_reader.h"
#include "fuzz/must.h"
#include "unit/net/http2/hpack_peer.h"
#include "wire/http2/hpack_reader.h"
#include "wire/http2/hpack_writer.h"
#include "wire/http2/http2_field.h"

namespace sluice::fuzz {
namespace {

constexpr std::size_t kAllThatIsLeft = 255;
// One byte can refer to a field of 4 KiB, so blocks with more fields than this are not written
// back.
constexpr std::size_t kMaxWritten = 64;

std::string Lower(std::string_view text) {
  std::string lower(text);
  for (char& c : lower) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  return lower;
}

// Reads the fields of a block. Returns false if it is malformed.
bool Read(HpackReader& reader, std::string_view block, HpackFields& fields) {
  // Copied to an allocation of the exact size, so that sanitizers detect reads beyond it.
  const std::vector<char> bytes(block.begin(), block.end());
  reader.Start({bytes.data(), bytes.size()});
  for (;;) {
    HpackField field;
    const HpackReader::Found found = reader.Next(field);
    if (found != HpackReader::Found::kField) return found == HpackReader::Found::kEnd;
    Must(field.kind == KindOfHttp2Field(KindOfHttp2Name(field.name), field.value),
         "a field that was remembered is of the kind that it was");
    fields.emplace_back(field.name, field.value);
  }
}

void MustReadBack(const HpackFields& fields) {
  std::string block;
  AppendHpackStart(block);
  HpackFields expected;
  for (const auto& [name, value] : fields) {
    AppendHpackField(name, value, block);
    expected.emplace_back(Lower(name), value);
  }
  HpackReader reader;
  HpackFields ours;
  Must(Read(reader, block, ours) && ours == expected, "what is written reads back");
  HpackPeer peer;
  HpackFields theirs;
  Must(peer.Read(block, theirs) && theirs == expected, "a peer reads what is written");
}

void Run(ByteReader input) {
  HpackPeer peer;
  HpackReader reader;
  while (!input.AtEnd()) {
    const std::size_t size = input.Byte();
    const std::string block = input.Bytes(size == kAllThatIsLeft ? SIZE_MAX : size);
    HpackFields expected;
    HpackFields fields;
    const bool is_good = peer.Read(block, expected);
    Must(Read(reader, block, fields) == is_good, "a block is good where a peer finds it so");
    if (!is_good) return;
    Must(fields == expected, "fields are those that a peer reads");
    if (fields.size() <= kMaxWritten) MustReadBack(fields);
  }
}

}  // namespace
}  // namespace sluice::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  sluice::fuzz::Run(sluice::fuzz::ByteReader({data, size}));
  return 0;
}
