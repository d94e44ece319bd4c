#include "wire/http2/hpack_table.h"

#include <array>

namespace sluice {
namespace {

using Kind = Http2FieldKind;

constexpr std::array<HpackField, HpackTable::kStaticCount> kStaticFields = {{
    {":authority", "", Kind::kAuthority},
    {":method", "GET", Kind::kMethod},
    {":method", "POST", Kind::kMethod},
    {":path", "/", Kind::kPath},
    {":path", "/index.html", Kind::kPath},
    {":scheme", "http", Kind::kScheme},
    {":scheme", "https", Kind::kScheme},
    {":status", "200", Kind::kMalformed},
    {":status", "204", Kind::kMalformed},
    {":status", "206", Kind::kMalformed},
    {":status", "304", Kind::kMalformed},
    {":status", "400", Kind::kMalformed},
    {":status", "404", Kind::kMalformed},
    {":status", "500", Kind::kMalformed},
    {"accept-charset", "", Kind::kOther},
    {"accept-encoding", "gzip, deflate", Kind::kOther},
    {"accept-language", "", Kind::kOther},
    {"accept-ranges", "", Kind::kOther},
    {"accept", "", Kind::kOther},
    {"access-control-allow-origin", "", Kind::kOther},
    {"age", "", Kind::kOther},
    {"allow", "", Kind::kOther},
    {"authorization", "", Kind::kOther},
    {"cache-control", "", Kind::kOther},
    {"content-disposition", "", Kind::kOther},
    {"content-encoding", "", Kind::kOther},
    {"content-language", "", Kind::kOther},
    {"content-length", "", Kind::kContentLength},
    {"content-location", "", Kind::kOther},
    {"content-range", "", Kind::kOther},
    {"content-type", "", Kind::kOther},
    {"cookie", "", Kind::kOther},
    {"date", "", Kind::kOther},
    {"etag", "", Kind::kOther},
    {"expect", "", Kind::kOther},
    {"expires", "", Kind::kOther},
    {"from", "", Kind::kOther},
    {"host", "", Kind::kHost},
    {"if-match", "", Kind::kOther},
    {"if-modified-since", "", Kind::kOther},
    {"if-none-match", "", Kind::kOther},
    {"if-range", "", Kind::kOther},
    {"if-unmodified-since", "", Kind::kOther},
    {"last-modified", "", Kind::kOther},
    {"link", "", Kind::kOther},
    {"location", "", Kind::kOther},
    {"max-forwards", "", Kind::kOther},
    {"proxy-authenticate", "", Kind::kOther},
    {"proxy-authorization", "", Kind::kOther},
    {"range", "", Kind::kOther},
    {"referer", "", Kind::kOther},
    {"refresh", "", Kind::kOther},
    {"retry-after", "", Kind::kOther},
    {"server", "", Kind::kOther},
    {"set-cookie", "", Kind::kOther},
    {"strict-transport-security", "", Kind::kOther},
    {"transfer-encoding", "", Kind::kMalformed},
    {"user-agent", "", Kind::kOther},
    {"vary", "", Kind::kOther},
    {"via", "", Kind::kOther},
    {"www-authenticate", "", Kind::kOther},
}};

}  // namespace

bool HpackTable::Find(std::uint64_t number, HpackField& field) const {
  if (number == 0) return false;
  if (number <= kStaticFields.size()) {
    field = kStaticFields[number - 1];
    field.name_kind = field.kind;
    return true;
  }
  const std::uint64_t age = number - kStaticFields.size() - 1;
  if (age >= entries_.size() - gone_) return false;
  const Entry& entry = entries_[entries_.size() - 1 - age];
  const std::string_view bytes = bytes_;
  field.name = bytes.substr(entry.begin, entry.name_size);
  field.value = bytes.substr(entry.begin + entry.name_size, entry.value_size);
  field.kind = entry.kind;
  field.name_kind = entry.name_kind;
  return true;
}

void HpackTable::Add(const HpackField& field) {
  const std::size_t size = field.name.size() + field.value.size() + 32;
  MakeRoom(size);
  if (size > capacity_) return;
  entries_.push_back({static_cast<std::uint32_t>(bytes_.size()),
                      static_cast<std::uint16_t>(field.name.size()),
                      static_cast<std::uint16_t>(field.value.size()), field.kind, field.name_kind});
  bytes_.append(field.name).append(field.value);
  size_ += size;
}

void HpackTable::SetCapacity(std::size_t capacity) {
  capacity_ = capacity;
  MakeRoom(0);
}

void HpackTable::MakeRoom(std::size_t room) {
  while (size_ > 0 && size_ + room > capacity_) size_ -= SizeOf(entries_[gone_++]);
  if (gone_ * 2 > entries_.size()) Compact();
}

void HpackTable::Compact() {
  const std::uint32_t begin =
      gone_ < entries_.size() ? entries_[gone_].begin : static_cast<std::uint32_t>(bytes_.size());
  bytes_.erase(0, begin);
  entries_.erase(entries_.begin(), entries_.begin() + static_cast<std::ptrdiff_t>(gone_));
  for (Entry& entry : entries_) entry.begin -= begin;
  gone_ = 0;
}

}  // namespace sluice
