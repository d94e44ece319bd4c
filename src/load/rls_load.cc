#include "load/rls_load.h"

#include <string_view>
#include <utility>

#include "base/text.h"
#include "load/grpc_client.h"
#include "wire/grpc/rls_caller.h"

namespace sluice {
namespace {

class RlsLoad final : public LoadSession, private GrpcClient::Listener {
 public:
  RlsLoad(LoadSession::Listener& listener, std::shared_ptr<const RequestTemplate> message,
          std::string authority, HeaderList metadata)
      : LoadSession(listener),
        message_(std::move(message)),
        client_(std::move(authority), std::string(kRlsPath), *this, std::move(metadata)) {}

  void Send(std::uint64_t key, Time intended) override {
    built_.clear();
    message_->Append(key, built_);
    // The due time serves as the tag; it is after 1970, so it is not negative.
    client_.Call(static_cast<std::uint64_t>(intended.time_since_epoch().count()), built_);
  }

  void Pump() override {
    client_.Pump();
    TakeOutput();
  }

  bool Receive(std::string_view bytes) override {
    if (!client_.Receive(bytes)) return Refuse(client_.fault());
    TakeOutput();
    return fault().empty();
  }

  void ReceiveEnd(std::string_view cause) override {
    end_cause_ = cause;
    client_.ReceiveEnd();
  }

  [[nodiscard]] std::size_t in_flight() const override { return client_.in_flight(); }
  [[nodiscard]] bool takes_requests() const override { return client_.takes_calls(); }

 private:
  void TakeOutput() {
    if (output.empty()) {
      output.swap(client_.output);
    } else {
      output.append(client_.output);
      client_.output.clear();
    }
  }

  void OnReply(const GrpcReply& reply) override {
    const Time intended{Nanos{static_cast<std::int64_t>(reply.tag)}};
    if (reply.outcome == GrpcReply::Fate::kNotTaken) return Tell(Answer::kNotTaken, intended);
    if (reply.outcome == GrpcReply::Fate::kBroken) {
      return Tell(Answer::kError, intended, end_cause_.empty() ? reply.words : end_cause_);
    }
    if (reply.status != GrpcStatus::kOk) {
      return Tell(
          Answer::kError, intended,
          Concat(NameOf(reply.status), reply.words.empty() ? "" : ": ", Printable(reply.words)));
    }
    if (const auto fault = ReadRlsAnswer(reply.message, answer_)) {
      Refuse(Concat("a reply ", *fault));
      return Tell(Answer::kError, intended, LoadSession::fault());
    }
    Tell(answer_.overall == RlsCode::kOk ? Answer::kAllowed : Answer::kRefused, intended);
  }

  std::shared_ptr<const RequestTemplate> message_;
  std::string built_;
  RlsAnswer answer_;
  std::string_view end_cause_;  // set when the connection has ended
  GrpcClient client_;
};

}  // namespace

std::unique_ptr<LoadSession> MakeRlsLoad(LoadSession::Listener& listener,
                                         std::shared_ptr<const RequestTemplate> message,
                                         std::string authority, HeaderList metadata) {
  return std::make_unique<RlsLoad>(listener, std::move(message), std::move(authority),
                                   std::move(metadata));
}

}  // namespace sluice
