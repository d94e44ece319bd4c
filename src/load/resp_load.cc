#include "load/resp_load.h"

#include <span>
#include <utility>

#include "base/ascii.h"
#include "base/text.h"
#include "load/ordered_session.h"
#include "wire/resp/resp_value_reader.h"

namespace sluice {
namespace {

class RespLoad final : public OrderedSession {
 public:
  RespLoad(Listener& listener, std::shared_ptr<const RequestTemplate> request, RespMeaning meaning,
           std::string_view login)
      : OrderedSession(listener, std::move(request)),
        meaning_(meaning),
        awaits_login_(!login.empty()) {
    output = login;
  }

 private:
  std::size_t ReadOne(std::string_view unread) override {
    const RespValueRead read = reader_.Read(unread);
    if (read.state == ReadState::kMore) return 0;
    if (read.state == ReadState::kFault) {
      Refuse(read.fault);
      return kFault;
    }
    return IsExpected(read.nodes) ? read.consumed : kFault;
  }

  bool IsExpected(std::span<const RespNode> nodes) {
    const RespNode& first = nodes.front();
    if (first.type == RespType::kPush) return true;
    const bool is_error = first.type == RespType::kError || first.type == RespType::kBlobError;
    if (std::exchange(awaits_login_, false)) {
      return !is_error || Fail(Concat("does not take the token: ", Printable(first.text)));
    }
    if (is_error) {
      return Answered(Answer::kError, Printable(first.text));
    }
    if (meaning_ == RespMeaning::kAny) return Answered(Answer::kAllowed);
    if (first.type != RespType::kArray || nodes.size() < 2 || nodes[1].type != RespType::kInteger) {
      return Answered(Answer::kError, "a reply that is no verdict");
    }
    const bool is_one = nodes[1].integer == 1;
    const bool allowed = is_one == (meaning_ == RespMeaning::kAllowed);
    return Answered(allowed ? Answer::kAllowed : Answer::kRefused);
  }

  RespMeaning meaning_;
  bool awaits_login_;  // the next reply answers the login
  RespValueReader reader_{{}};
};

}  // namespace

RespMeaning MeaningOf(std::string_view command) {
  if (EqualsLower(command, "cl.throttle")) return RespMeaning::kThrottled;
  if (EqualsLower(command, "sluice.check")) return RespMeaning::kAllowed;
  return RespMeaning::kAny;
}

std::unique_ptr<LoadSession> MakeRespLoad(LoadSession::Listener& listener,
                                          std::shared_ptr<const RequestTemplate> request,
                                          RespMeaning meaning, std::string_view login) {
  return std::make_unique<RespLoad>(listener, std::move(request), meaning, login);
}

}  // namespace sluice
