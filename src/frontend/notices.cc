#include "frontend/notices.h"

#include "core/text.h"

namespace sluice {

bool Notices::Count(Notice kind) {
  Entry& entry = entries_[static_cast<std::size_t>(kind)];
  entry.count.fetch_add(1, std::memory_order_relaxed);
  const Time now = clock_.Now();
  std::int64_t next = entry.next_log.load(std::memory_order_relaxed);
  if (now.time_since_epoch().count() < next) return false;
  // Of several threads that come here at once, one logs.
  return entry.next_log.compare_exchange_strong(next,
                                                (now + kLogInterval).time_since_epoch().count());
}

void Notices::Log(Notice kind, std::string text) {
  Entry& entry = entries_[static_cast<std::size_t>(kind)];
  const std::string_view event = kNoticeWords[static_cast<std::size_t>(kind)];
  const std::uint64_t count = CountOf(kind);
  std::uint64_t unlogged = 0;
  {
    const std::lock_guard lock(mutex_);
    unlogged = count - entry.logged - 1;
    entry.logged = count;
    entry.text = text;
  }
  if (unlogged > 0) text += Concat(" ", unlogged, " more were not logged.");
  write_(event, text);
}

void Notices::AppendLines(NoticeDetail detail, std::string& out) const {
  const std::lock_guard lock(mutex_);
  for (std::size_t i = 0; i < entries_.size(); ++i) {
    const std::uint64_t count = CountOf(static_cast<Notice>(i));
    if (count == 0) continue;
    out += Concat(kNoticeWords[i], ": ", count, count == 1 ? " time" : " times");
    if (detail == NoticeDetail::kText) out += Concat("; ", Printable(entries_[i].text));
    out += '\n';
  }
}

}  // namespace sluice
