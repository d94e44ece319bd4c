#include "load/http_load.h"

#include <string_view>
#include <utility>

#include "base/text.h"
#include "load/ordered_session.h"
#include "wire/http1/http1_reply.h"

namespace sluice {
namespace {

constexpr int kTooManyRequests = 429;

class HttpLoad final : public OrderedSession {
 public:
  using OrderedSession::OrderedSession;

 private:
  std::size_t ReadOne(std::string_view unread) override { return Take(reader_.Read(unread)); }
  std::size_t ReadLast(std::string_view unread) override { return Take(reader_.ReadEnd(unread)); }

  std::size_t Take(const Http1ReplyRead& read) {
    if (read.state == ReadState::kMore) return 0;
    if (read.state == ReadState::kFault) {
      Refuse(Concat("a reply ", read.fault));
      return kFault;
    }
    if (!IsExpected(reader_.reply().status)) return kFault;
    if (!reader_.reply().keeps_alive) StopTaking();
    return read.consumed;
  }

  bool IsExpected(int status) {
    if (status >= 200 && status < 300) return Answered(Answer::kAllowed);
    if (status == kTooManyRequests) return Answered(Answer::kRefused);
    return Answered(Answer::kError, Concat("status ", status));
  }

  Http1ReplyReader reader_{{}};
};

}  // namespace

std::unique_ptr<LoadSession> MakeHttpLoad(LoadSession::Listener& listener,
                                          std::shared_ptr<const RequestTemplate> request) {
  return std::make_unique<HttpLoad>(listener, std::move(request));
}

}  // namespace sluice
