#include "admin/process_metrics.h"

#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string_view>
#include <system_error>
#include <vector>

namespace sluice {
namespace {

// Returns the contents of a file of /proc, empty if it cannot be read.
std::string TextOf(const std::string& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

std::optional<std::uint64_t> NumberAt(std::string_view text) {
  std::uint64_t number = 0;
  const auto read = std::from_chars(text.data(), text.data() + text.size(), number);
  if (read.ec != std::errc{}) return std::nullopt;
  return number;
}

// Returns the fields of /proc/PID/stat that follow the program name, starting with field 3. The
// name is in parentheses and may contain any character, even spaces and parentheses.
std::vector<std::string_view> FieldsOf(std::string_view stat) {
  const std::size_t end = stat.rfind(')');
  if (end == std::string_view::npos) return {};
  stat.remove_prefix(end + 1);
  std::vector<std::string_view> fields;
  while (!stat.empty()) {
    stat.remove_prefix(std::min(stat.find_first_not_of(" \n"), stat.size()));
    const std::size_t size = std::min(stat.find_first_of(" \n"), stat.size());
    if (size != 0) fields.push_back(stat.substr(0, size));
    stat.remove_prefix(size);
  }
  return fields;
}

// Returns a field by its number in proc(5).
std::optional<std::uint64_t> Field(const std::vector<std::string_view>& fields,
                                   std::size_t number) {
  constexpr std::size_t kFirst = 3;
  if (number - kFirst >= fields.size()) return std::nullopt;
  return NumberAt(fields[number - kFirst]);
}

Nanos LengthOf(std::uint64_t ticks) {
  const auto ticks_a_second = static_cast<std::uint64_t>(sysconf(_SC_CLK_TCK));
  constexpr std::uint64_t kSecond = 1'000'000'000;
  return Nanos{static_cast<std::int64_t>(ticks / ticks_a_second * kSecond +
                                         ticks % ticks_a_second * kSecond / ticks_a_second)};
}

// Returns when the system booted, or nothing if /proc/stat does not contain it.
std::optional<Time> BootTime(std::string_view stat) {
  constexpr std::string_view kLine = "\nbtime ";
  const std::size_t at = stat.find(kLine);
  if (at == std::string_view::npos) return std::nullopt;
  const std::optional<std::uint64_t> seconds = NumberAt(stat.substr(at + kLine.size()));
  if (!seconds) return std::nullopt;
  return Time{std::chrono::seconds{*seconds}};
}

std::optional<std::uint64_t> CountEntries(const std::string& folder) {
  std::error_code error;
  const std::filesystem::directory_iterator entries(folder, error);
  if (error) return std::nullopt;
  return static_cast<std::uint64_t>(std::distance(begin(entries), end(entries)));
}

}  // namespace

ProcessNumbers ReadProcess(const std::string& proc) {
  ProcessNumbers numbers;
  const std::string stat = TextOf(proc + "/self/stat");
  const std::vector<std::string_view> fields = FieldsOf(stat);
  const auto own = Field(fields, 14);
  const auto kernel = Field(fields, 15);
  if (own && kernel) numbers.cpu = LengthOf(*own + *kernel);
  const auto after_boot = Field(fields, 22);
  const std::optional<Time> boot = BootTime(TextOf(proc + "/stat"));
  if (after_boot && boot) numbers.started = *boot + LengthOf(*after_boot);
  numbers.virtual_bytes = Field(fields, 23);
  if (const auto pages = Field(fields, 24)) {
    numbers.resident_bytes = *pages * static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE));
  }
  numbers.open_descriptors = CountEntries(proc + "/self/fd");
  rlimit bound{};
  if (getrlimit(RLIMIT_NOFILE, &bound) == 0) numbers.max_descriptors = bound.rlim_cur;
  return numbers;
}

void AppendProcessMetrics(const ProcessNumbers& numbers, MetricsText& out) {
  const auto append = [&](std::string_view name, MetricKind kind, std::string_view help,
                          const auto& value) {
    if (!value) return;
    out.Begin(name, kind, help);
    out.Sample({}, *value);
  };
  append("process_cpu_seconds_total", MetricKind::kCounter,
         "Processor time used, of the program and of the kernel for it.", numbers.cpu);
  std::optional<Nanos> started;
  if (numbers.started) started = numbers.started->time_since_epoch();
  append("process_start_time_seconds", MetricKind::kGauge, "When it started, since 1970.", started);
  append("process_resident_memory_bytes", MetricKind::kGauge, "Memory it has at hand.",
         numbers.resident_bytes);
  append("process_virtual_memory_bytes", MetricKind::kGauge, "Memory it may address.",
         numbers.virtual_bytes);
  append("process_open_fds", MetricKind::kGauge, "Open descriptors.", numbers.open_descriptors);
  append("process_max_fds", MetricKind::kGauge, "Descriptors that it may open.",
         numbers.max_descriptors);
}

}  // namespace sluice
