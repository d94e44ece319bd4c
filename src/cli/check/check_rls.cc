// Checks over Envoy's rate limit service.
#include <array>
#include <string>
#include <utility>

#include "base/text.h"
#include "cli/check/check_client.h"
#include "load/grpc_client.h"
#include "wire/grpc/rls_caller.h"

namespace sluice::cli {
namespace {

// Returns "100/m", or the count alone if the reply names no known unit.
std::string TermsOf(const RlsLimit& limit) {
  constexpr std::array<std::string_view, 8> kUnits = {"", "s", "m", "h", "d", "month", "year", "w"};
  const std::string_view unit = kUnits[static_cast<std::size_t>(limit.unit)];
  const std::string times = limit.multiplier > 1 ? std::to_string(limit.multiplier) : "";
  return Concat(limit.requests_per_unit, unit.empty() ? "" : "/", unit.empty() ? "" : times, unit);
}

AnsweredLimit LimitOf(const RlsStatus& status) {
  AnsweredLimit limit{.allowed = status.code == RlsCode::kOk, .reset_after = status.until_reset};
  if (!status.limit) return limit;
  limit.rule = status.limit->name;
  limit.limit = TermsOf(*status.limit);
  limit.units = status.limit->requests_per_unit;
  limit.remaining = status.remaining;
  return limit;
}

class RlsConversation final : public CheckClient, private GrpcClient::Listener {
 public:
  RlsConversation(const CheckQuestion& question, const Credentials& shown)
      : client_("localhost", std::string(kRlsPath), *this, shown.headers) {
    std::string message;
    AppendRlsQuestion({question.domain, question.attributes, question.cost}, message);
    client_.Call(0, message);
    client_.Pump();
    TakeOutput();
  }

  void Receive(std::string_view bytes) override {
    if (!client_.Receive(bytes)) Fail(Concat("does not speak HTTP/2: ", client_.fault()));
    TakeOutput();
  }

  void ReceiveEnd() override {
    if (!answer()) Fail(std::string(kClosed));
  }

 private:
  void TakeOutput() {
    output += client_.output;
    client_.output.clear();
  }

  void OnReply(const GrpcReply& reply) override {
    if (reply.outcome == GrpcReply::Fate::kNotTaken) return Fail("did not take the call");
    if (reply.outcome == GrpcReply::Fate::kBroken) {
      return Fail(Concat("gave no answer: ", reply.words));
    }
    if (reply.status != GrpcStatus::kOk) {
      return Fail(Concat("answered ", NameOf(reply.status), reply.words.empty() ? "" : ": ",
                         Printable(reply.words)));
    }
    RlsAnswer read;
    if (const auto fault = ReadRlsAnswer(reply.message, read)) {
      return Fail(Concat("does not speak Envoy's protocol: its reply ", *fault));
    }
    CheckAnswer answer{.allowed = read.overall == RlsCode::kOk};
    for (const RlsStatus& status : read.statuses) answer.limits.push_back(LimitOf(status));
    Answer(std::move(answer));
  }

  GrpcClient client_;
};

}  // namespace

std::unique_ptr<CheckClient> AskByRls(const CheckQuestion& question, const Credentials& shown) {
  return std::make_unique<RlsConversation>(question, shown);
}

}  // namespace sluice::cli
