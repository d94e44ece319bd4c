#include "net/resp_session.h"

#include <utility>

namespace sluice {

class RespSession::Command final : public RespExchange {
 public:
  explicit Command(RespSession& session) : session_(session) {}
  ~Command() = default;

  void Begin(std::size_t first_argument, std::size_t argument_count) {
    first = first_argument;
    count = argument_count;
    reply.clear();
    closes = false;
    finished = false;
  }

  void Finish() override {
    finished = true;
    session_.Finished();
  }

  std::size_t first = 0;  // of the batch's arguments
  std::size_t count = 0;
  bool finished = false;

 private:
  RespSession& session_;
};

RespSession::RespSession(RespService& service, const Peer& peer, const Bounds& bounds)
    : service_(service),
      batch_most_(bounds.connection_requests),
      reader_(
          {.arguments_most = bounds.header_fields * 2 + 16, .bytes_most = bounds.request_bytes}) {
  client_.peer = &peer;
}

RespSession::~RespSession() = default;

std::size_t RespSession::Receive(std::string_view unread) {
  std::size_t taken = 0;
  while (!ended() && fault_.empty()) {
    taken += ReadBatch(unread.substr(taken));
    if (batch_.empty()) break;
    ServeBatch();
  }
  WriteReplies();
  return ended() ? unread.size() : taken;
}

std::size_t RespSession::ReadBatch(std::string_view unread) {
  std::size_t taken = 0;
  arguments_.clear();
  batch_.clear();
  while (batch_.size() < batch_most_) {
    const RespCommandRead read = reader_.Read(unread.substr(taken));
    taken += read.consumed;
    half_read_ = read.state == ReadState::kMore && taken < unread.size();
    if (read.state == ReadState::kFault) fault_ = read.fault;
    if (read.state != ReadState::kWhole) break;
    if (spare_.empty()) spare_.push_back(std::make_unique<Command>(*this));
    std::unique_ptr<Command> command = std::move(spare_.back());
    spare_.pop_back();
    command->client = &client_;
    command->Begin(arguments_.size(), read.arguments.size());
    arguments_.insert(arguments_.end(), read.arguments.begin(), read.arguments.end());
    batch_.push_back(command.get());
    queue_.push_back(std::move(command));
  }
  return taken;
}

void RespSession::ServeBatch() {
  for (RespExchange* exchange : batch_) {
    auto& command = static_cast<Command&>(*exchange);
    command.arguments = std::span(arguments_).subspan(command.first, command.count);
  }
  completed_ += batch_.size();
  unfinished_ += batch_.size();
  serving_ = true;
  service_.Serve(batch_);
  serving_ = false;
  WriteReplies();
}

void RespSession::Finished() {
  --unfinished_;
  if (serving_) return;
  WriteReplies();
  if (on_late_reply) on_late_reply();
}

void RespSession::WriteReplies() {
  while (!queue_.empty() && queue_.front()->finished && !ended()) {
    std::unique_ptr<Command> command = std::move(queue_.front());
    queue_.pop_front();
    output.append(command->reply);
    if (command->closes) End();
    spare_.push_back(std::move(command));
  }
  if (ended() || !queue_.empty()) return;
  if (!fault_.empty()) {
    RespWriter(client_.version, output).Error("ERR", fault_);
    End();
  } else if (draining_ && !half_read_) {
    End();
  }
}

void RespSession::ReceiveEnd() {
  half_read_ = false;
  Drain();
}

void RespSession::Drain() {
  draining_ = true;
  WriteReplies();
}

Session::Phase RespSession::phase() const {
  if (unfinished_ > 0) return Phase::kAnswering;
  return half_read_ ? Phase::kBody : Phase::kIdle;
}

}  // namespace sluice
