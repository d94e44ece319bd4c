#include "wire/grpc/proto_writer.h"

namespace sluice {

void ProtoWriter::MoveAndSize(char* size_at, std::size_t size) {
  std::size_t size_bytes = 1;
  for (std::size_t rest = size; rest >= 0x80; rest >>= 7U) ++size_bytes;
  assert(size_bytes - 1 <= static_cast<std::size_t>(end_ - at_));
  std::memmove(size_at + size_bytes, size_at + 1, size);
  at_ = size_at;
  Varint(size);
  at_ += size;
}

}  // namespace sluice
