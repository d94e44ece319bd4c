#include "store/pages.h"

#include <sys/mman.h>

#include <string>
#include <utility>

namespace sluice {

Result<Pages> Pages::Reserve(std::size_t bytes) {
  const std::size_t with_slack = bytes + kRowBytes;
  void* const mapped = mmap(nullptr, with_slack, PROT_READ | PROT_WRITE,
                            MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (mapped == MAP_FAILED) {
    return Error{"cannot reserve " + std::to_string(bytes) +
                 " bytes of address space; expected a smaller memory limit or a larger ulimit -v"};
  }
  const auto start = reinterpret_cast<std::uintptr_t>(mapped);
  auto* const base = static_cast<std::byte*>(mapped);
  return Pages(base, with_slack, base + (RoundUpTo(kRowBytes, start) - start));
}

Pages::Pages(Pages&& other) noexcept
    : mapped_(std::exchange(other.mapped_, nullptr)),
      bytes_(std::exchange(other.bytes_, 0)),
      data_(std::exchange(other.data_, nullptr)) {}

Pages& Pages::operator=(Pages&& other) noexcept {
  std::swap(mapped_, other.mapped_);
  std::swap(bytes_, other.bytes_);
  std::swap(data_, other.data_);
  return *this;
}

Pages::~Pages() {
  if (mapped_ != nullptr) munmap(mapped_, bytes_);
}

void Pages::PreferLarge(std::byte* from, std::size_t bytes) {
  // A hint only: a system without large pages uses small ones.
  madvise(from, bytes, MADV_HUGEPAGE);
}

void Pages::Discard(std::byte* from, std::size_t bytes) {
  const auto begin = reinterpret_cast<std::uintptr_t>(from);
  const std::uintptr_t first = RoundUpTo(kPageBytes, begin);
  const std::uintptr_t last = (begin + bytes) / kPageBytes * kPageBytes;
  if (first < last) madvise(from + (first - begin), last - first, MADV_DONTNEED);
}

}  // namespace sluice
