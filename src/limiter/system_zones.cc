#include "limiter/system_zones.h"

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string_view>
#include <system_error>
#include <utility>

#include "core/calendar/tzif.h"

namespace sluice {
namespace {

// The largest existing zone file has about 4 KiB.
constexpr std::uintmax_t kMaxFileBytes = std::uintmax_t{1} << 20U;
constexpr std::size_t kMaxNameBytes = 128;

// Zone names have no dots, so rejecting dots rules out path traversal.
bool IsZoneName(std::string_view name) {
  constexpr std::string_view kAllowed =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_+-/";
  return !name.empty() && name.size() <= kMaxNameBytes && name.front() != '/' &&
         name.find_first_not_of(kAllowed) == std::string_view::npos;
}

std::optional<std::string> ReadFile(const std::filesystem::path& path) {
  std::error_code failed;
  if (!std::filesystem::is_regular_file(path, failed) || failed) return std::nullopt;
  const std::uintmax_t size = std::filesystem::file_size(path, failed);
  if (failed || size > kMaxFileBytes) return std::nullopt;
  std::string bytes(static_cast<std::size_t>(size), '\0');
  std::ifstream file(path, std::ios::binary);
  if (!file.read(bytes.data(), static_cast<std::streamsize>(size))) return std::nullopt;
  return bytes;
}

class ZoneCache {
 public:
  explicit ZoneCache(std::filesystem::path directory) : directory_(std::move(directory)) {
    zones_.emplace("UTC", std::make_shared<const Zone>(Zone{"UTC", 0, {}}));
  }

  std::shared_ptr<const Zone> Find(std::string_view name) {
    const std::lock_guard lock(mutex_);
    if (const auto found = zones_.find(name); found != zones_.end()) return found->second;
    std::shared_ptr<const Zone> zone = Read(name);
    // Failures are not cached: the number of names is unbounded, and a file may be installed later.
    if (zone != nullptr) zones_.emplace(name, zone);
    return zone;
  }

 private:
  [[nodiscard]] std::shared_ptr<const Zone> Read(std::string_view name) const {
    if (!IsZoneName(name)) return nullptr;
    const std::optional<std::string> bytes = ReadFile(directory_ / name);
    if (!bytes) return nullptr;
    Result<Zone> zone = ParseTzif(name, *bytes);
    if (!zone.ok()) return nullptr;
    return std::make_shared<const Zone>(std::move(zone).value());
  }

  const std::filesystem::path directory_;
  std::mutex mutex_;
  // Guarded by mutex_.
  std::map<std::string, std::shared_ptr<const Zone>, std::less<>> zones_;
};

}  // namespace

ZoneSource SystemZones(std::string directory) {
  return [cache = std::make_shared<ZoneCache>(std::move(directory))](std::string_view name) {
    return cache->Find(name);
  };
}

}  // namespace sluice
