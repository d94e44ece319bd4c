// Blocks of HPACK from any bytes, as one peer sends them one after another: read as nghttp2 reads
// them, and written again.
//
// Each block begins with a byte that is its length; 255 is all that is left.
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "fuzz/byte_reader.h"
#include "fuzz/must.h"
#include "unit/net/hpack_peer.h"
#include "wire/hpack_reader.h"
#include "wire/hpack_writer.h"
#include "wire/http2_field.h"

namespace sluice::fuzz {
namespace {

constexpr std::size_t kAllThatIsLeft = 255;
// A byte may stand for a field of 4 KiB, so not all of them are written again.
constexpr std::size_t kWrittenMost = 64;

std::string Lower(std::string_view text) {
  std::string lower(text);
  for (char& c : lower) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  return lower;
}

// Fields of a block; false if it has a fault.
bool Read(HpackReader& reader, std::string_view block, HpackFields& fields) {
  // A block of memory of just that size, so that reading beyond it shows.
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
    if (fields.size() <= kWrittenMost) MustReadBack(fields);
  }
}

}  // namespace
}  // namespace sluice::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  sluice::fuzz::Run(sluice::fuzz::ByteReader({data, size}));
  return 0;
}
