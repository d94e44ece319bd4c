#include "cli/bench/bench_request.h"

#include <algorithm>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/ascii.h"
#include "base/text.h"
#include "cli/check/credentials.h"
#include "console/json_text.h"
#include "load/http_load.h"
#include "load/request_template.h"
#include "load/resp_load.h"
#include "load/rls_load.h"
#include "wire/grpc/rls_caller.h"
#include "wire/resp/resp_writer.h"

namespace sluice::cli {
namespace {

constexpr std::string_view kKeyMark = "{key}";

std::string WithKey(std::string_view text, std::string_view key) {
  std::string out;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t mark = text.find(kKeyMark, at);
    out.append(text.substr(at, mark - at));
    if (mark == std::string_view::npos) break;
    out.append(key);
    at = mark + kKeyMark.size();
  }
  return out;
}

std::string AuthorityOf(const BenchArguments& arguments) {
  const bool is_local = std::holds_alternative<UnixEndpoint>(arguments.server);
  return is_local ? "localhost" : Describe(arguments.server);
}

// --- http -----------------------------------------------------------------------------------

std::string CheckBody(const BenchArguments& arguments, std::string_view key) {
  std::string attributes;
  for (const Attribute& attribute : arguments.attributes) {
    attributes += Concat(attributes.empty() ? "" : ",", JsonString(attribute.name), ":",
                         JsonString(WithKey(attribute.value, key)));
  }
  return Concat(R"({"domain":)", JsonString(arguments.domain), R"(,"attributes":{)", attributes,
                "}}");
}

std::string HttpRequestFor(const BenchArguments& arguments, std::string_view key) {
  const std::string head = Concat(arguments.method, " ", WithKey(arguments.path, key),
                                  " HTTP/1.1\r\nHost: ", AuthorityOf(arguments), "\r\n",
                                  HeaderLines(arguments.credentials.headers));
  if (arguments.method == "GET") return head + "\r\n";
  const std::string body = CheckBody(arguments, key);
  return Concat(head, "Content-Type: application/json\r\nContent-Length: ", body.size(), "\r\n\r\n",
                body);
}

bool IsTarget(std::string_view path) {
  return path.starts_with('/') && std::ranges::none_of(path, [](char c) {
           return IsControl(c) || c == ' ' || static_cast<unsigned char>(c) >= 0x80;
         });
}

// --- forward auth ---------------------------------------------------------------------------

// The parts of a proxy's call that carry the attributes of a request.
struct ForwardAuth {
  std::string method = "GET";
  std::string path = "/";
  std::string host;
  std::string headers;
};

Result<ForwardAuth> ReadForwardAuth(const BenchArguments& arguments) {
  constexpr std::string_view kHeader = "header.";
  ForwardAuth call;
  call.host = AuthorityOf(arguments);
  for (const auto& [name, value] : arguments.attributes) {
    const std::string_view header = name.starts_with(kHeader) ? name.substr(kHeader.size()) : "";
    if (std::ranges::any_of(value, IsControl)) {
      return Error{Concat("--attribute: ", Quoted(value), " cannot be sent as a header")};
    }
    if (name == "method") {
      call.method = value;
    } else if (name == "path") {
      call.path = value;
    } else if (name == "host") {
      call.host = value;
    } else if (name == "ip") {
      call.headers += Concat("X-Forwarded-For: ", value, "\r\n");
    } else if (!header.empty() && kTokenBytes.HasAll(header)) {
      call.headers += Concat(header, ": ", value, "\r\n");
    } else {
      return Error{
          Concat("--attribute: forward-auth carries method, host, path, ip and "
                 "header.NAME, found ",
                 Quoted(name))};
    }
  }
  if (!kTokenBytes.HasAll(call.method) || call.method == "HEAD") {
    return Error{Concat("--attribute: ", Quoted(call.method), " cannot be sent as a method")};
  }
  if (!IsTarget(call.path)) {
    return Error{Concat("--attribute: ", Quoted(call.path), " cannot be sent as a path")};
  }
  if (!IsTarget(Concat("/", arguments.domain))) {
    return Error{Concat("--domain: ", Quoted(arguments.domain), " cannot be sent in a path")};
  }
  return call;
}

std::string CallFor(const BenchArguments& arguments, const ForwardAuth& call,
                    std::string_view key) {
  return Concat(call.method, " /auth/", arguments.domain, WithKey(call.path, key),
                " HTTP/1.1\r\nHost: ", WithKey(call.host, key), "\r\n", WithKey(call.headers, key),
                HeaderLines(arguments.credentials.headers), "\r\n");
}

// --- resp -----------------------------------------------------------------------------------

std::vector<std::string_view> WordsOf(std::string_view command) {
  std::vector<std::string_view> words;
  while (!command.empty()) {
    const std::string_view word = TakeUntil(' ', command);
    if (!word.empty()) words.push_back(word);
  }
  return words;
}

std::string CommandFor(const std::vector<std::string_view>& words, std::string_view key) {
  std::string out;
  RespWriter writer(RespVersion::k2, out);
  writer.ArrayHeader(words.size());
  for (const std::string_view word : words) writer.Bulk(WithKey(word, key));
  return out;
}

// --- rls ------------------------------------------------------------------------------------

std::string MessageFor(const BenchArguments& arguments, std::string_view key) {
  std::vector<std::string> values;
  values.reserve(arguments.attributes.size());
  std::vector<Attribute> entries;
  for (const Attribute& attribute : arguments.attributes) {
    values.push_back(WithKey(attribute.value, key));
    entries.push_back({attribute.name, values.back()});
  }
  std::string out;
  AppendRlsQuestion({arguments.domain, entries, Cost{1}}, out);
  return out;
}

// Makes a request template. `build` returns the request for a key.
template <typename Build>
std::shared_ptr<const RequestTemplate> TemplateOf(const BenchArguments& arguments, Build build) {
  return std::make_shared<const RequestTemplate>(arguments.keys, build);
}

LoadSessionFactory HttpSessions(std::shared_ptr<const RequestTemplate> request) {
  return [request = std::move(request)](LoadSession::Listener& listener) {
    return MakeHttpLoad(listener, request);
  };
}

}  // namespace

Result<LoadSessionFactory> BenchSessions(const BenchArguments& arguments) {
  switch (arguments.protocol) {
    case BenchProtocol::kHttp:
      if (!IsTarget(arguments.path)) {
        return Error{
            Concat("--path: expected a path such as /v1/check, found ", Quoted(arguments.path))};
      }
      return HttpSessions(TemplateOf(
          arguments, [&](std::string_view key) { return HttpRequestFor(arguments, key); }));
    case BenchProtocol::kForwardAuth: {
      const Result<ForwardAuth> call = ReadForwardAuth(arguments);
      if (!call) return call.error();
      return HttpSessions(TemplateOf(
          arguments, [&](std::string_view key) { return CallFor(arguments, call.value(), key); }));
    }
    case BenchProtocol::kResp: {
      const std::vector<std::string_view> words = WordsOf(arguments.command);
      if (words.empty()) return Error{"--command: expected a command such as 'INCR {key}'"};
      const RespMeaning meaning = MeaningOf(words.front());
      auto request =
          TemplateOf(arguments, [&](std::string_view key) { return CommandFor(words, key); });
      return LoadSessionFactory(
          [request, meaning,
           login = AuthCommand(arguments.credentials.token)](LoadSession::Listener& listener) {
            return MakeRespLoad(listener, request, meaning, login);
          });
    }
    case BenchProtocol::kRls:
      break;
  }
  auto message =
      TemplateOf(arguments, [&](std::string_view key) { return MessageFor(arguments, key); });
  return LoadSessionFactory(
      [message, authority = AuthorityOf(arguments),
       metadata = arguments.credentials.headers](LoadSession::Listener& listener) {
        return MakeRlsLoad(listener, message, authority, metadata);
      });
}

}  // namespace sluice::cli
