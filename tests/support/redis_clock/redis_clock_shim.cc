// Loaded into redis-server or valkey-server before the C library, so that the wall clock shows the
// time that the test wrote into a file. Monotonic clocks stay real; otherwise the server would
// never wake up.
//
// The variable SLUICE_REDIS_CLOCK names the file. It holds one std::int64_t: microseconds since
// 1970, or 0 for the real time.
//
// If /proc/cpuinfo says that the processor has a constant tick rate, Valkey computes the time from
// the processor's counter. Therefore this library hides that file, and Valkey asks for the time
// every time.
#include <dlfcn.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string_view>

namespace {

using Clock = std::atomic<std::int64_t>;
static_assert(Clock::is_always_lock_free);

constexpr std::int64_t kMicrosPerSecond = 1'000'000;

Clock* Open() {
  const char* path = std::getenv("SLUICE_REDIS_CLOCK");
  const int file = path == nullptr ? -1 : open(path, O_RDONLY | O_CLOEXEC);
  if (file < 0) return nullptr;
  void* mapped = mmap(nullptr, sizeof(Clock), PROT_READ, MAP_SHARED, file, 0);
  close(file);
  return mapped == MAP_FAILED ? nullptr : static_cast<Clock*>(mapped);
}

// Reads the test's time. Returns false if there is no such clock or it has not been set.
bool Read(std::int64_t& micros) {
  static Clock* const clock = Open();
  if (clock == nullptr) return false;
  micros = clock->load();
  return micros != 0;
}

FILE* OpenUnlessOfProcessor(const char* name, const char* path, const char* mode) {
  if (std::string_view(path) == "/proc/cpuinfo") {
    errno = ENOENT;
    return nullptr;
  }
  using Open = FILE* (*)(const char*, const char*);
  return reinterpret_cast<Open>(dlsym(RTLD_NEXT, name))(path, mode);
}

bool IsWallClock(clockid_t id) { return id == CLOCK_REALTIME || id == CLOCK_REALTIME_COARSE; }

}  // namespace

extern "C" {

int clock_gettime(clockid_t id, timespec* out) noexcept {
  std::int64_t micros = 0;
  if (!IsWallClock(id) || !Read(micros)) {
    return static_cast<int>(syscall(SYS_clock_gettime, id, out));
  }
  out->tv_sec = micros / kMicrosPerSecond;
  out->tv_nsec = micros % kMicrosPerSecond * 1000;
  return 0;
}

int gettimeofday(timeval* out, void* /*zone*/) noexcept {
  timespec now{};
  const int failed = clock_gettime(CLOCK_REALTIME, &now);
  out->tv_sec = now.tv_sec;
  out->tv_usec = now.tv_nsec / 1000;
  return failed;
}

time_t time(time_t* out) noexcept {
  timespec now{};
  clock_gettime(CLOCK_REALTIME, &now);
  if (out != nullptr) *out = now.tv_sec;
  return now.tv_sec;
}

FILE* fopen(const char* path, const char* mode) {
  return OpenUnlessOfProcessor("fopen", path, mode);
}

FILE* fopen64(const char* path, const char* mode) {
  return OpenUnlessOfProcessor("fopen64", path, mode);
}

}  // extern "C"
