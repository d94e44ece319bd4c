#include "cli/check/probe.h"

#include <memory>
#include <string>

#include "base/text.h"
#include "cli/check/check_client.h"
#include "net/loop/connect.h"
#include "sluice/clock.h"

namespace sluice::cli {

ProbeFinding Probe(const Endpoint& server, std::string_view domain, const Credentials& shown,
                   Nanos timeout) {
  const std::string name = Describe(server);
  const CheckQuestion question{
      .server = name, .protocol = "http", .domain = domain, .call = CheckCall::kPeek};
  const Result<ServerAddress> address = FindServer(server);
  if (!address) return ProbeFinding::kNothing;
  const std::unique_ptr<CheckClient> conversation = AskByHttp(question, shown);
  const Result<CheckAnswer> answer =
      Converse(address.value(), *conversation, *MakeSystemClock(), timeout);
  if (answer) return ProbeFinding::kNothing;
  const auto says = [&](std::string_view words) {
    return answer.error().message.find(words) != std::string::npos;
  };
  if (says(kNoRulesWords)) return ProbeFinding::kNoRules;
  if (says(kAdminAdvice)) return ProbeFinding::kAdmin;
  return says(kTlsAdvice) ? ProbeFinding::kTls : ProbeFinding::kNothing;
}

std::string NoRulesMessage(std::string_view server, std::string_view domain) {
  return Concat(server, " has no rules for the domain ", Quoted(domain), ", so no limit applied");
}

std::string_view AdviceFor(ProbeFinding finding) {
  if (finding == ProbeFinding::kAdmin) return kAdminAdvice;
  return finding == ProbeFinding::kTls ? kTlsAdvice : "";
}

}  // namespace sluice::cli
