#include "net/resp/resp_session.h"

#include <utility>

#include "net/loop/kept_text.h"

namespace sluice {
namespace {

// Maximum capacity of the argument list that is kept for the next batch. More than a batch of 128
// commands of usual length needs.
constexpr std::size_t kArgumentsKept = 2048;

}  // namespace

class RespSession::Command final : public RespExchange {
 public:
  explicit Command(RespSession& session) : session_(session) {}
  ~Command() = default;

  void Begin(std::size_t first_argument, std::size_t argument_count) {
    first = first_argument;
    count = argument_count;
    reply.clear();
    parked_bytes = 0;
    closes = false;
    finished = false;
  }

  void Finish() override {
    finished = true;
    session_.Finished();
  }

  void ReleaseMemory() { Empty(reply); }
  [[nodiscard]] std::size_t memory_bytes() const { return sizeof(*this) + reply.capacity(); }
  [[nodiscard]] std::size_t pending_bytes() const { return parked_bytes; }

  std::size_t first = 0;  // index of the first argument in the batch's list
  std::size_t count = 0;
  std::size_t counted_bytes = 0;  // used by the ReplyQueue
  bool finished = false;

 private:
  RespSession& session_;
};

RespSession::RespSession(RespService& service, const Peer& peer, const Bounds& bounds)
    : service_(service),
      max_commands_(bounds.connection_requests),
      reader_({.max_arguments = bounds.header_fields * 2 + 16, .max_bytes = bounds.request_bytes}) {
  client_.peer = &peer;
  BoundOutput(bounds.connection_bytes);
}

RespSession::~RespSession() = default;

std::size_t RespSession::Receive(std::string_view unread) {
  if (std::exchange(paused_, false)) WriteReplies();
  std::size_t taken = 0;
  while (!ended() && !closing_ && fault_.empty() && !IsFull()) {
    taken += ReadBatch(unread.substr(taken));
    if (queue_.batch().empty()) break;
    ServeBatch();
  }
  paused_ = !ended() && !closing_ && fault_.empty() && IsFull();
  // Otherwise ServeBatch has already written all replies.
  if (draining_ || !fault_.empty()) WriteReplies();
  return ended() || closing_ || !fault_.empty() ? unread.size() : taken;
}

bool RespSession::IsFull() const {
  return output.size() >= max_output() || queue_.size() >= max_commands_;
}

std::size_t RespSession::ReadBatch(std::string_view unread) {
  std::size_t taken = 0;
  arguments_.clear();
  while (queue_.size() < max_commands_ && !queue_.has_batch()) {
    const RespCommandRead read = reader_.Read(unread.substr(taken));
    taken += read.consumed;
    if (read.state == ReadState::kFault) fault_ = read.fault;
    if (read.state != ReadState::kWhole) break;
    Command& command = queue_.Join(*this);
    command.client = &client_;
    command.Begin(arguments_.size(), read.arguments.size());
    arguments_.insert(arguments_.end(), read.arguments.begin(), read.arguments.end());
  }
  half_read_ = fault_.empty() && taken < unread.size();
  return taken;
}

void RespSession::ServeBatch() {
  for (RespExchange* exchange : queue_.batch()) {
    auto& command = static_cast<Command&>(*exchange);
    command.arguments = std::span(arguments_).subspan(command.first, command.count);
  }
  completed_ += queue_.batch().size();
  unfinished_ += queue_.batch().size();
  queue_.Serve(service_);
  if (arguments_.capacity() > kArgumentsKept) decltype(arguments_)().swap(arguments_);
  WriteReplies();
}

void RespSession::Finished() {
  --unfinished_;
  if (queue_.is_serving()) return;
  WriteReplies();
  if (on_late_reply) on_late_reply();
}

void RespSession::WriteReplies() {
  bool has_replied = false;
  for (const Command* command = queue_.ready(); command != nullptr && !ended();
       command = queue_.ready()) {
    if (output.size() >= max_output()) {
      paused_ = true;
      return;
    }
    has_replied = true;
    output.append(command->reply);
    if (command->closes) End();
    queue_.Leave();
  }
  if (ended() || !queue_.empty()) return;
  if (!fault_.empty()) {
    RespWriter(client_.version, output).Error("ERR", fault_);
    End();
  } else if ((leaving_ || (draining_ && has_replied)) && !half_read_) {
    End();
  }
}

void RespSession::ReceiveEnd() {
  half_read_ = false;
  // An incomplete command is dropped: its rest will never arrive.
  closing_ = closing_ || !paused_;
  draining_ = leaving_ = true;
  WriteReplies();
}

void RespSession::Drain() {
  leaving_ = std::exchange(draining_, true);
  WriteReplies();
}

// RESP has no message that announces a close, so the session ends only while the client has no
// command in flight.
void RespSession::Retire() {
  if (phase() == Phase::kIdle && queue_.empty() && output.empty()) End();
}

std::size_t RespSession::kept_bytes() const {
  const RespTransaction* const transaction = client_.transaction.get();
  return queue_.kept_bytes() + arguments_.capacity() * sizeof(std::string_view) +
         client_.name.capacity() + (transaction == nullptr ? 0 : transaction->memory_bytes());
}

void RespSession::ReleaseMemory() {
  queue_.FreeSpare();
  decltype(arguments_)().swap(arguments_);
}

void RespSession::Tick(Nanos /*now*/, const Deadlines& /*deadlines*/) {
  if (!Rests()) return;
  queue_.Rest();
  decltype(arguments_)().swap(arguments_);
}

Session::Phase RespSession::phase() const {
  if (unfinished_ > 0) return Phase::kAnswering;
  return half_read_ ? Phase::kBody : Phase::kIdle;
}

}  // namespace sluice
