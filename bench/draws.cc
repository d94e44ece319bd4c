#include "bench/draws.h"

#include <cstring>
#include <random>

#include "load/zipf.h"

namespace sluice::bench {
namespace {

constexpr std::uint64_t kSeed = 20'240'229;

}  // namespace

void KeyText::Write(std::uint64_t index, char* to) {
  std::memcpy(to, "user:", 5);
  for (std::size_t i = kBytes; i-- > 5; index /= 10) to[i] = static_cast<char>('0' + index % 10);
}

Draws::Draws(std::uint64_t keys, Choice choice) : bytes_(kCount * KeyText::kBytes) {
  std::mt19937_64 engine(kSeed);
  const Zipf zipf(keys);
  for (std::size_t i = 0; i < kCount; ++i) {
    const std::uint64_t index = choice == Choice::kZipf ? zipf.Draw(engine) : engine() % keys;
    KeyText::Write(index, bytes_.data() + i * KeyText::kBytes);
  }
}

}  // namespace sluice::bench
