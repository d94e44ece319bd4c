#include "cli/bench/bench_request.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "cli/bench/bench_arguments.h"
#include "wire/grpc/rls_caller.h"

namespace sluice::cli {
namespace {

class DeafListener final : public LoadSession::Listener {
 public:
  void OnAnswer(Answer /*answer*/, Time /*intended*/, std::string_view /*cause*/) override {}
};

using Args = std::vector<std::string_view>;

Result<LoadSessionFactory> SessionsFor(Args args) {
  args.insert(args.end(), {"--server", "limits.test:80", "--keys", "1000"});
  const Result<GivenFlags> given = ReadBenchFlags(args);
  if (!given) return given.error();
  const Result<BenchArguments> arguments = ReadBenchArguments(given.value());
  if (!arguments) return arguments.error();
  return BenchSessions(arguments.value());
}

// Returns the request for key 42.
std::string SentBy(const Args& args) {
  const Result<LoadSessionFactory> sessions = SessionsFor(args);
  if (!sessions) return "error: " + sessions.error().message;
  DeafListener listener;
  const std::unique_ptr<LoadSession> session = sessions.value()(listener);
  session->Send(42, Time{});
  session->Pump();
  return session->output;
}

TEST(BenchRequestTest, PostsCheckAsJson) {
  EXPECT_EQ(SentBy({"--domain", "api"}),
            "POST /v1/check HTTP/1.1\r\nHost: limits.test:80\r\nContent-Type: application/json\r\n"
            "Content-Length: 44\r\n\r\n"
            R"({"domain":"api","attributes":{"user":"042"}})");
  EXPECT_EQ(SentBy({"--domain", "api", "--path", "/json", "--attribute", "a=\"{key}\"", "b="}),
            "POST /json HTTP/1.1\r\nHost: limits.test:80\r\nContent-Type: application/json\r\n"
            "Content-Length: 52\r\n\r\n"
            R"({"domain":"api","attributes":{"a":"\"042\"","b":""}})");
}

TEST(BenchRequestTest, SendsGetWithoutBody) {
  EXPECT_EQ(SentBy({"--method", "GET", "--path", "/{key}/{key}?q={key}"}),
            "GET /042/042?q=042 HTTP/1.1\r\nHost: limits.test:80\r\n\r\n");
}

TEST(BenchRequestTest, SendsForwardAuthAsProxyDoes) {
  EXPECT_EQ(SentBy({"--protocol", "forward-auth", "--domain", "api"}),
            "GET /auth/api/ HTTP/1.1\r\nHost: limits.test:80\r\nx-user-id: 042\r\n\r\n");
  EXPECT_EQ(SentBy({"--protocol", "forward-auth", "--domain", "api", "--attribute",
                    "path=/v1/{key}", "method=POST", "host=h", "ip=192.0.2.{key}", "header.x=y"}),
            "POST /auth/api/v1/042 HTTP/1.1\r\nHost: h\r\nX-Forwarded-For: 192.0.2.042\r\n"
            "x: y\r\n\r\n");
}

TEST(BenchRequestTest, RejectsWhatAProxyCannotSend) {
  for (const std::string_view bad :
       {"user=1", "header.=1", "header.a b=1", "header.x=a\r\nb: c", "method=HEAD", "method=a b",
        "path=no", "path=/a b", "path=/\xC3\xA4"}) {
    const std::string said =
        SentBy({"--protocol", "forward-auth", "--domain", "api", "--attribute", bad});
    EXPECT_TRUE(said.starts_with("error: --attribute: ")) << bad << ": " << said;
  }
  EXPECT_TRUE(SentBy({"--protocol", "forward-auth", "--domain", "a b"}).starts_with("error: "));
}

TEST(BenchRequestTest, SendsHeadersWithEachRequest) {
  const Args headers = {"--header", "X-Team: a", "--header", "b:{key}"};
  const auto with = [&headers](Args args) {
    args.insert(args.end(), headers.begin(), headers.end());
    return SentBy(args);
  };
  EXPECT_EQ(with({"--method", "GET", "--path", "/{key}"}),
            "GET /042 HTTP/1.1\r\nHost: limits.test:80\r\nx-team: a\r\nb: {key}\r\n\r\n");
  EXPECT_NE(with({"--domain", "api"}).find("\r\nx-team: a\r\nb: {key}\r\nContent-"),
            std::string::npos);
  EXPECT_NE(with({"--protocol", "forward-auth", "--domain", "api"})
                .find("x-user-id: 042\r\nx-team: a\r\nb: {key}\r\n\r\n"),
            std::string::npos);
  EXPECT_EQ(with({"--protocol", "resp"}), "error: --header is not for resp");
}

TEST(BenchRequestTest, SplitsCommandAtBlanks) {
  EXPECT_EQ(SentBy({"--protocol", "resp", "--command", " INCR  k{key} "}),
            "*2\r\n$4\r\nINCR\r\n$4\r\nk042\r\n");
  EXPECT_EQ(SentBy({"--protocol", "resp"}),
            "*6\r\n$11\r\nCL.THROTTLE\r\n$3\r\n042\r\n$2\r\n15\r\n$2\r\n30\r\n$2\r\n60\r\n"
            "$1\r\n1\r\n");
}

TEST(BenchRequestTest, SendsRlsWithOneDescriptor) {
  const std::string sent =
      SentBy({"--protocol", "rls", "--domain", "api", "--attribute", "user={key}", "path=/{key}"});
  const std::vector<Attribute> entries = {{"user", "042"}, {"path", "/042"}};
  std::string message;
  AppendRlsQuestion({"api", entries, Cost{1}}, message);
  EXPECT_TRUE(sent.starts_with("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"));
  EXPECT_NE(sent.find(message), std::string::npos);
}

}  // namespace
}  // namespace sluice::cli
