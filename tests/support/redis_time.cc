#include "support/redis_time.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <filesystem>

namespace sluice::testing {

// The file is all zeros at first, which means the real time.
RedisTime::RedisTime() {
  path_ = (std::filesystem::temp_directory_path() / "sluice-clock-XXXXXX").string();
  const int file = mkostemp(path_.data(), O_CLOEXEC);
  if (file < 0) return;
  void* mapped = MAP_FAILED;
  if (ftruncate(file, sizeof(*clock_)) == 0) {
    mapped = mmap(nullptr, sizeof(*clock_), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  }
  close(file);
  if (mapped != MAP_FAILED) clock_ = static_cast<std::atomic<std::int64_t>*>(mapped);
}

RedisTime::~RedisTime() {
  if (clock_ != nullptr) munmap(clock_, sizeof(*clock_));
  unlink(path_.c_str());
}

void RedisTime::Set(Time now) {
  clock_->store(std::chrono::floor<std::chrono::microseconds>(now).time_since_epoch().count());
}

std::vector<std::string> RedisTime::variables() const {
  return {"SLUICE_REDIS_CLOCK=" + path_, "LD_PRELOAD=" SLUICE_REDIS_CLOCK_SHIM};
}

}  // namespace sluice::testing
