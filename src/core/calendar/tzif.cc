#include "core/calendar/tzif.h"

#include <cstdint>
#include <optional>
#include <string>
#include <utility>

#include "base/text.h"
#include "core/calendar/posix_tz.h"

namespace sluice {
namespace {

constexpr std::string_view kMagic = "TZif";
constexpr std::size_t kHeaderBytes = 44;
constexpr std::size_t kTypeBytes = 6;

// The first year for which a rule is expanded if the data has no changes before it. Time counts
// from 1970.
constexpr std::chrono::year kFirstYear{1900};

// The end of a window that contains kLatestTime can be in the following year.
constexpr std::chrono::year kLastYear{2162};

struct Header {
  char version = 0;
  std::uint64_t isut_count = 0;
  std::uint64_t isstd_count = 0;
  std::uint64_t leap_count = 0;
  std::uint64_t time_count = 0;
  std::uint64_t type_count = 0;
  std::uint64_t char_count = 0;

  [[nodiscard]] std::uint64_t DataBytes(std::size_t time_bytes) const {
    return time_count * (time_bytes + 1) + type_count * kTypeBytes + char_count +
           leap_count * (time_bytes + 4) + isstd_count + isut_count;
  }
};

// Reads a big-endian two's complement number. REQUIRES: 1 to 8 bytes.
std::int64_t ReadSigned(std::string_view bytes) {
  const bool negative = (static_cast<unsigned char>(bytes.front()) & 0x80U) != 0;
  std::uint64_t value = negative ? ~std::uint64_t{0} : 0;
  for (const char byte : bytes) value = (value << 8U) | static_cast<unsigned char>(byte);
  return static_cast<std::int64_t>(value);
}

std::uint64_t ReadCount(std::string_view bytes) {
  return static_cast<std::uint32_t>(ReadSigned(bytes.substr(0, 4)));
}

Error Bad(std::string_view why) { return Error{Concat("bad zone file: ", why)}; }

// Takes `size` bytes from the front. REQUIRES: there are that many.
std::string_view Take(std::string_view& bytes, std::uint64_t size) {
  const std::string_view taken = bytes.substr(0, static_cast<std::size_t>(size));
  bytes.remove_prefix(taken.size());
  return taken;
}

Result<Header> TakeHeader(std::string_view& bytes) {
  if (bytes.size() < kHeaderBytes) return Bad("it ends inside a header");
  const std::string_view raw = Take(bytes, kHeaderBytes);
  if (!raw.starts_with(kMagic)) return Bad("it does not begin with TZif");
  Header header;
  header.version = raw[kMagic.size()];
  constexpr std::size_t kCountsAt = 20;
  header.isut_count = ReadCount(raw.substr(kCountsAt));
  header.isstd_count = ReadCount(raw.substr(kCountsAt + 4));
  header.leap_count = ReadCount(raw.substr(kCountsAt + 8));
  header.time_count = ReadCount(raw.substr(kCountsAt + 12));
  header.type_count = ReadCount(raw.substr(kCountsAt + 16));
  header.char_count = ReadCount(raw.substr(kCountsAt + 20));
  return header;
}

// The parts of a data block that define the changes of the offset.
struct Block {
  std::size_t time_bytes = 8;
  std::string_view times;
  std::string_view indexes;
  std::string_view types;
};

Result<Block> TakeBlock(const Header& header, std::size_t time_bytes, std::string_view& bytes) {
  if (header.DataBytes(time_bytes) > bytes.size()) return Bad("it ends inside its data");
  if (header.leap_count != 0) return Bad("it counts leap seconds");
  if (header.type_count == 0 || header.type_count > 256) return Bad("it has no types, or over 256");
  if (header.char_count == 0) return Bad("it has no abbreviations");
  for (const std::uint64_t count : {header.isut_count, header.isstd_count}) {
    if (count != 0 && count != header.type_count) {
      return Bad("its indicators do not match its types");
    }
  }
  Block block;
  block.time_bytes = time_bytes;
  block.times = Take(bytes, header.time_count * time_bytes);
  block.indexes = Take(bytes, header.time_count);
  block.types = Take(bytes, header.type_count * kTypeBytes);
  Take(bytes, header.char_count + header.isstd_count + header.isut_count);
  return block;
}

Result<std::int32_t> OffsetOfType(const Block& block, std::size_t index) {
  if (index >= block.types.size() / kTypeBytes) return Bad("a change has a type that is not there");
  const std::int64_t offset = ReadSigned(block.types.substr(index * kTypeBytes, 4));
  if (offset > kMaxZoneOffset || offset < -kMaxZoneOffset) {
    return Bad("an offset is over 26 hours");
  }
  return static_cast<std::int32_t>(offset);
}

// Adds the change, unless it changes only the zone's name or the summer time flag.
void AddChange(Zone::Change change, Zone& zone) {
  const std::int32_t before = zone.changes.empty() ? zone.first_offset : zone.changes.back().offset;
  if (change.offset != before) zone.changes.push_back(change);
}

// The end of the explicit changes; the rule in the footer applies after it.
struct DataEnd {
  std::optional<std::int64_t> last_change;
};

Result<DataEnd> ReadChanges(const Block& block, Zone& zone) {
  const Result<std::int32_t> first = OffsetOfType(block, 0);
  if (!first.ok()) return first.error();
  zone.first_offset = first.value();
  DataEnd end;
  for (std::size_t i = 0; i < block.indexes.size(); ++i) {
    const std::int64_t from =
        ReadSigned(block.times.substr(i * block.time_bytes, block.time_bytes));
    if (end.last_change && from <= *end.last_change) return Bad("its changes are not in order");
    const auto offset = OffsetOfType(block, static_cast<unsigned char>(block.indexes[i]));
    if (!offset.ok()) return offset.error();
    AddChange({from, offset.value()}, zone);
    end.last_change = from;
  }
  return end;
}

std::chrono::year YearOf(std::int64_t utc_seconds) {
  const std::chrono::sys_seconds at{std::chrono::seconds{utc_seconds}};
  return std::chrono::year_month_day{std::chrono::floor<std::chrono::days>(at)}.year();
}

// Returns the first year whose changes by the rule can come after `from`. Limits the year to the
// range of the calendar type, and starts a year early because local time can be a day away from
// UTC.
std::chrono::year FirstRuleYear(std::int64_t from) {
  constexpr std::chrono::sys_seconds kEarliest = std::chrono::sys_days{kFirstYear / 1 / 1};
  constexpr std::chrono::sys_seconds kLatest = std::chrono::sys_days{kLastYear / 1 / 1};
  if (from < kEarliest.time_since_epoch().count()) return kFirstYear;
  if (from > kLatest.time_since_epoch().count()) return kLastYear;
  return YearOf(from) - std::chrono::years{1};
}

void AddRule(const PosixRule& rule, const DataEnd& end, Zone& zone) {
  if (!end.last_change) zone.first_offset = rule.offset;
  const std::chrono::year first = end.last_change ? FirstRuleYear(*end.last_change) : kFirstYear;
  for (const Zone::Change& change : rule.ChangesIn(first, kLastYear)) {
    if (end.last_change && change.from <= *end.last_change) continue;
    // If two changes are at the same instant, the later one takes effect.
    if (!zone.changes.empty() && zone.changes.back().from == change.from) zone.changes.pop_back();
    AddChange(change, zone);
  }
}

Result<Done> ReadFooter(std::string_view bytes, const DataEnd& end, Zone& zone) {
  if (bytes.size() < 2 || bytes.front() != '\n') {
    return Bad("its footer does not begin with a newline");
  }
  const std::size_t close = bytes.find('\n', 1);
  if (close == std::string_view::npos) return Bad("its footer does not end with a newline");
  const std::string_view text = bytes.substr(1, close - 1);
  if (text.empty()) return Done{};
  const std::optional<PosixRule> rule = ParsePosixRule(text);
  if (!rule) return Bad(Concat("its footer ", Quoted(text), " is no rule"));
  AddRule(*rule, end, zone);
  return Done{};
}

Result<Zone> ReadZone(std::string_view bytes) {
  Result<Header> header = TakeHeader(bytes);
  if (!header.ok()) return header.error();
  const bool has_second_block = header.value().version >= '2';
  if (!has_second_block && header.value().version != 0) return Bad("its version is unknown");
  if (has_second_block) {
    const std::uint64_t first_block = header.value().DataBytes(4);
    if (first_block > bytes.size()) return Bad("it ends inside its data");
    Take(bytes, first_block);
    header = TakeHeader(bytes);
    if (!header.ok()) return header.error();
  }
  const Result<Block> block = TakeBlock(header.value(), has_second_block ? 8 : 4, bytes);
  if (!block.ok()) return block.error();
  Zone zone;
  const Result<DataEnd> end = ReadChanges(block.value(), zone);
  if (!end.ok()) return end.error();
  if (has_second_block) {
    const Result<Done> footer = ReadFooter(bytes, end.value(), zone);
    if (!footer.ok()) return footer.error();
  }
  return zone;
}

}  // namespace

// NOLINTNEXTLINE(bugprone-easily-swappable-parameters): swapped, the bytes are no zone file.
Result<Zone> ParseTzif(std::string_view name, std::string_view bytes) {
  Result<Zone> zone = ReadZone(bytes);
  if (!zone.ok()) return Error{Concat(Quoted(name), ": ", zone.error().message)};
  zone.value().name = name;
  return zone;
}

}  // namespace sluice
