#include "bench/machine.h"

#include <malloc.h>
#include <pthread.h>
#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <ctime>
#include <fstream>
#include <sstream>

#if defined(__x86_64__)
#include <x86intrin.h>
#endif

namespace sluice::bench {
namespace {

double Seconds(clockid_t clock) {
  timespec now{};
  clock_gettime(clock, &now);
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
}

// Finds the first line of the file that starts with `name` and returns the text after the
// separator, or "".
std::string FieldOf(const std::string& file, const std::string& name) {
  std::ifstream in(file);
  for (std::string line; std::getline(in, line);) {
    if (line.compare(0, name.size(), name) != 0) continue;
    const std::size_t after = line.find_first_of(":=", name.size());
    const std::size_t start = line.find_first_not_of(" \t", after + 1);
    return after == std::string::npos || start == std::string::npos ? "" : line.substr(start);
  }
  return "";
}

std::uint64_t KibibytesOf(const std::string& file, const std::string& name) {
  std::istringstream text(FieldOf(file, name));
  std::uint64_t kibibytes = 0;
  text >> kibibytes;
  return kibibytes * 1024;
}

std::string FirstLine(const std::string& file) {
  std::ifstream in(file);
  std::string line;
  std::getline(in, line);
  return line;
}

// Returns the word in brackets of "always [madvise] never".
std::string LargePages() {
  const std::string line = FirstLine("/sys/kernel/mm/transparent_hugepage/enabled");
  const std::size_t open = line.find('[');
  if (open == std::string::npos) return "unknown";
  return line.substr(open + 1, line.find(']') - open - 1);
}

std::string OwnFolder() {
  std::array<char, 4096> path{};
  const ssize_t length = readlink("/proc/self/exe", path.data(), path.size() - 1);
  const std::string file(path.data(), length > 0 ? static_cast<std::size_t>(length) : 0);
  return file.substr(0, file.rfind('/'));
}

// Returns the compiler flags from CMake's cache in the build folder, which also holds the program.
std::string Flags() {
  const std::string cache = OwnFolder() + "/CMakeCache.txt";
  std::string type = FieldOf(cache, "CMAKE_BUILD_TYPE:");
  type = type.substr(type.find('=') + 1);
  for (char& letter : type) letter = static_cast<char>(toupper(letter));
  std::string flags = FieldOf(cache, "CMAKE_CXX_FLAGS_" + type + ":");
  flags = flags.substr(flags.find('=') + 1);
  return type.empty() || flags.empty() ? "flags unknown" : flags;
}

std::string Commit() {
  const std::string command =
      "git -C '" + OwnFolder() + "' describe --always --dirty=+changes 2>/dev/null";
  FILE* const out = popen(command.c_str(), "r");
  if (out == nullptr) return "unknown";
  std::array<char, 80> line{};
  const bool read = fgets(line.data(), static_cast<int>(line.size()), out) != nullptr;
  const bool good = pclose(out) == 0 && read;
  const std::string text = line.data();
  return good ? text.substr(0, text.find('\n')) : "unknown";
}

cpu_set_t AllowedCores() {
  // Read once at the start, because pinning a thread narrows the set of that thread.
  static const cpu_set_t allowed = [] {
    cpu_set_t set;
    CPU_ZERO(&set);
    if (sched_getaffinity(0, sizeof(set), &set) != 0) CPU_SET(0, &set);
    return set;
  }();
  return allowed;
}

}  // namespace

std::string DescribeMachine() {
  std::string cpu = FieldOf("/proc/cpuinfo", "model name");
  if (cpu.empty()) cpu = "unknown CPU";
#ifdef NDEBUG
  const char* const assertions = "";
#else
  const char* const assertions = ", assertions on";
#endif
  return cpu + ", " + std::to_string(CoreCount()) + " cores, large pages " + LargePages() + "; " +
#if defined(__clang__)
         "clang " __clang_version__
#else
         "g++ " __VERSION__
#endif
         + " " + Flags() + assertions + "; commit " + Commit();
}

std::size_t CoreCount() {
  const cpu_set_t allowed = AllowedCores();
  return static_cast<std::size_t>(CPU_COUNT(&allowed));
}

bool PinToCore(std::size_t index) {
  const cpu_set_t allowed = AllowedCores();
  for (std::size_t core = 0; core < CPU_SETSIZE; ++core) {
    if (!CPU_ISSET(core, &allowed) || index-- != 0) continue;
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET(core, &one);
    return pthread_setaffinity_np(pthread_self(), sizeof(one), &one) == 0;
  }
  return false;
}

std::uint64_t MemoryAvailable() {
  const std::uint64_t machine = KibibytesOf("/proc/meminfo", "MemAvailable");
  std::istringstream limit(FirstLine("/sys/fs/cgroup/memory.max"));
  std::istringstream current(FirstLine("/sys/fs/cgroup/memory.current"));
  std::uint64_t max = 0;
  std::uint64_t used = 0;
  if (!(limit >> max) || !(current >> used)) return machine;  // "max", or no such file
  return std::min(machine, max > used ? max - used : 0);
}

std::uint64_t ResidentBytes() { return KibibytesOf("/proc/self/status", "VmRSS"); }

void ReturnFreedMemory() { malloc_trim(0); }

double WallSeconds() { return Seconds(CLOCK_MONOTONIC); }

double ThreadCpuSeconds() { return Seconds(CLOCK_THREAD_CPUTIME_ID); }

std::uint64_t Ticks() {
#if defined(__x86_64__)
  unsigned core = 0;
  const std::uint64_t ticks = __rdtscp(&core);
  _mm_lfence();
  return ticks;
#else
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return static_cast<std::uint64_t>(now.tv_sec) * 1'000'000'000 +
         static_cast<std::uint64_t>(now.tv_nsec);
#endif
}

}  // namespace sluice::bench
