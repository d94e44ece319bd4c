#include "wire/grpc/proto_reader.h"

#include <limits>

namespace sluice {
namespace {

constexpr unsigned kBitsPerByte = 7;
constexpr unsigned kLastShift = 63;  // shift of the tenth byte, which holds one bit

}  // namespace

void ProtoReader::Fail(std::string_view fault) {
  // Keep the first error: later ones follow from it.
  if (fault_.empty()) fault_ = fault;
  at_ = end_;
}

bool ProtoReader::ReadLongKey() {
  const std::uint64_t key = ReadLongVarint();
  if (failed()) return false;
  if (key > std::numeric_limits<std::uint32_t>::max()) {
    Fail("has a field number that cannot be");
    return false;
  }
  key_ = static_cast<std::uint32_t>(key);
  return true;
}

std::uint64_t ProtoReader::ReadLongVarint() {
  std::uint64_t value = 0;
  for (unsigned shift = 0; shift <= kLastShift; shift += kBitsPerByte) {
    if (at_ == end_) {
      Fail("is cut off");
      return 0;
    }
    const auto byte = static_cast<unsigned char>(*at_++);
    if (shift == kLastShift && byte > 1) break;
    value |= static_cast<std::uint64_t>(byte & 0x7FU) << shift;
    if (byte < 0x80) return value;
  }
  Fail("has a number over 64 bits");
  return 0;
}

void ProtoReader::SkipFixed(std::size_t size) {
  if (static_cast<std::size_t>(end_ - at_) < size) {
    Fail("is cut off");
  } else {
    at_ += size;
  }
}

void ProtoReader::Skip() {
  if (field() == 0) {
    Fail("has a field number that cannot be");
    return;
  }
  switch (static_cast<WireType>(key_ & 7U)) {
    case WireType::kVarint:
      Varint();
      return;
    case WireType::kFixed64:
      SkipFixed(sizeof(std::uint64_t));
      return;
    case WireType::kBytes:
      Bytes();
      return;
    case WireType::kFixed32:
      SkipFixed(sizeof(std::uint32_t));
      return;
  }
  Fail((key_ & 7U) <= 4 ? "has a group" : "has a field of a type that cannot be");
}

}  // namespace sluice
