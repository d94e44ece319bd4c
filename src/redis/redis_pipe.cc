#include "redis/redis_pipe.h"

#include <algorithm>
#include <utility>

#include "base/text.h"

namespace sluice {
namespace {

bool IsError(RespType type) { return type == RespType::kError || type == RespType::kBlobError; }

}  // namespace

bool RedisPipe::Send(RedisCommand& command, RedisListener& listener) {
  if (under_way() >= bounds_.max_commands) return false;
  if (waiting_bytes_ + command.bytes.size() > bounds_.max_bytes) return false;
  // Drop the deadlines of earlier commands.
  if (under_way() == 0) next_deadline_ = kLatestTime;
  waiting_bytes_ += command.bytes.size();
  waiting_.push_back({&command, &listener});
  NoteDeadline(command.deadline);
  return true;
}

void RedisPipe::SendAhead(RedisCommand& command, RedisListener& listener) {
  PutOut({&command, &listener});
  NoteDeadline(command.deadline);
}

void RedisPipe::PutOut(Entry entry) {
  entry.begin = put_out_;
  put_out_ += entry.command->bytes.size();
  output_.append(entry.command->bytes);
  sent_.push_back(entry);
}

std::string_view RedisPipe::Output() {
  while (!is_held_ && !waiting_.empty() && output_.size() - output_taken_ < bounds_.write_bytes) {
    waiting_bytes_ -= waiting_.front().command->bytes.size();
    PutOut(waiting_.front());
    waiting_.pop_front();
  }
  return std::string_view(output_).substr(output_taken_);
}

void RedisPipe::Wrote(std::size_t bytes) {
  output_taken_ += bytes;
  if (output_taken_ < output_.size()) return;
  output_.clear();
  output_taken_ = 0;
}

Result<Done> RedisPipe::Receive(std::string_view bytes) {
  std::string_view unread = bytes;
  std::string carried = std::move(carried_);
  carried_.clear();
  if (!carried.empty()) unread = carried.append(bytes);
  const std::uint64_t connection = connection_;
  while (!unread.empty()) {
    const Result<std::size_t> used = ReadOne(unread);
    if (connection_ != connection) return Done{};  // a listener has called Break
    if (!used.ok()) return used.error();
    if (used.value() == 0) break;
    unread.remove_prefix(used.value());
  }
  carried_.assign(unread);
  return Done{};
}

Result<std::size_t> RedisPipe::ReadOne(std::string_view unread) {
  const RespValueRead read = reader_.Read(unread);
  if (read.state == ReadState::kFault) return Error{std::string(read.fault)};
  if (read.state == ReadState::kMore) return std::size_t{0};
  if (read.nodes.front().type == RespType::kPush) return read.consumed;
  if (sent_.empty()) return Error{"a reply to nothing"};
  const std::span<const RespNode> value = ValueOf(read.nodes);
  const std::uint32_t wanted = sent_.front().command->reply_nodes;
  const bool is_other = wanted != 0 && value.size() != wanted && !IsError(value.front().type);
  if (is_other) return Error{"a reply to something else"};
  Answer(value);
  return read.consumed;
}

// Strips the attributes before a value. It copies, because servers do not normally send attributes.
std::span<const RespNode> RedisPipe::ValueOf(std::span<const RespNode> nodes) {
  std::uint32_t skipped = 0;
  while (nodes[skipped].type == RespType::kAttribute) skipped = nodes[skipped].end;
  if (skipped == 0) return nodes;
  value_.assign(nodes.begin() + skipped, nodes.end());
  for (RespNode& node : value_) node.end -= skipped;
  return value_;
}

void RedisPipe::Answer(std::span<const RespNode> value) {
  const Entry entry = sent_.front();
  sent_.pop_front();
  RedisAnswer answer;
  answer.reply = value;
  if (IsError(value.front().type)) answer.error = ReadRedisError(value.front().text);
  Tell(entry, answer);
}

void RedisPipe::Tell(const Entry& entry, const RedisAnswer& answer) {
  RedisAnswer told = answer;
  told.is_late = entry.is_overdue;
  entry.listener->OnAnswer(*entry.command, told);
}

void RedisPipe::NoteDeadline(Time deadline) { next_deadline_ = std::min(next_deadline_, deadline); }

std::optional<Time> RedisPipe::next_deadline() const {
  if (under_way() == 0 || next_deadline_ == kLatestTime) return std::nullopt;
  return next_deadline_;
}

void RedisPipe::Expire(Time now) {
  if (now < next_deadline_) return;
  next_deadline_ = kLatestTime;
  std::vector<Entry> overdue;
  for (Entry& entry : sent_) {
    if (entry.is_overdue) continue;
    if (entry.command->deadline <= now) {
      entry.is_overdue = true;
      overdue.push_back(entry);
    } else {
      NoteDeadline(entry.command->deadline);
    }
  }
  std::vector<Entry> dropped;
  std::erase_if(waiting_, [&](const Entry& entry) {
    const bool is_over = entry.command->deadline <= now;
    if (is_over) {
      waiting_bytes_ -= entry.command->bytes.size();
      dropped.push_back(entry);
    } else {
      NoteDeadline(entry.command->deadline);
    }
    return is_over;
  });
  // Listeners may send commands, so they are notified only after the queues are consistent.
  for (const Entry& entry : overdue) entry.listener->OnOverdue(*entry.command);
  for (const Entry& entry : dropped) {
    Tell(entry, {.outcome = RedisAnswer::Fate::kNotSent, .cause = Cause::kOverdue});
  }
}

void RedisPipe::Break(Cause cause) {
  const std::uint64_t written = put_out_ - (output_.size() - output_taken_);
  const std::deque<Entry> sent = std::exchange(sent_, {});
  const std::deque<Entry> waiting = std::exchange(waiting_, {});
  ++connection_;
  waiting_bytes_ = 0;
  output_.clear();
  output_taken_ = 0;
  put_out_ = 0;
  carried_.clear();
  next_deadline_ = kLatestTime;
  reader_ = RespValueReader(bounds_.reply);
  for (const Entry& entry : sent) {
    const bool is_written = entry.begin < written;
    Tell(entry, {.outcome = is_written ? RedisAnswer::Fate::kUnknown : RedisAnswer::Fate::kNotSent,
                 .cause = cause});
  }
  for (const Entry& entry : waiting) {
    Tell(entry, {.outcome = RedisAnswer::Fate::kNotSent, .cause = cause});
  }
}

}  // namespace sluice
