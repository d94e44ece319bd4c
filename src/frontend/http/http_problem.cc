#include "frontend/http/http_problem.h"

#include <algorithm>

#include "base/ascii.h"
#include "base/json_string.h"
#include "base/text.h"
#include "gate/problem.h"
#include "net/http1/http_status.h"

namespace sluice {
namespace {

// Returns the reason phrase of a status: the words after its number in the status line.
std::string_view PhraseOf(int status) {
  constexpr std::size_t kBefore = std::string_view("HTTP/1.1 400 ").size();
  const std::string_view line = StatusLine(status);
  return line.substr(kBefore, line.size() - kBefore - 2);
}

// Returns whether an Origin ("https://example.org:8443") has the host and port of the request.
bool IsOriginAt(std::string_view authority, std::string_view origin) {
  const std::size_t scheme = origin.find("://");
  if (scheme == std::string_view::npos) return false;
  return std::ranges::equal(origin.substr(scheme + 3), authority, {}, ToLower, ToLower);
}

}  // namespace

void ReplyProblem(const HttpProblem& problem, HttpReply& reply) {
  reply.Clear();
  reply.status = problem.status;
  reply.headers.Add("Content-Type", kProblemMediaType);
  std::string& body = reply.body;
  body += R"({"type":"about:blank","title":")";
  body += PhraseOf(problem.status);
  body += R"(","status":)";
  AppendPart(problem.status, body);
  body += R"(,"detail":)";
  AppendJsonString(problem.detail, body);
  if (!problem.field.empty()) {
    body += R"(,"field":)";
    AppendJsonString(problem.field, body);
  }
  body += '}';
}

void ReplyRefusal(const Verdict& verdict, HttpReply& reply) {
  reply.Clear();
  reply.status = StatusOf(verdict);
  reply.headers.Add("Content-Type", kProblemMediaType);
  WriteProblem(verdict, reply.body);
}

bool RequireWhole(const HttpRequest& request, HttpReply& reply) {
  switch (request.fault) {
    case HttpRequest::Fault::kNone:
      return true;
    case HttpRequest::Fault::kHeadTooLarge:
      ReplyProblem({431, "The head of the request is too large."}, reply);
      return false;
    case HttpRequest::Fault::kBodyTooLarge:
      ReplyProblem({413, "The body of the request is too large."}, reply);
      return false;
  }
  return false;
}

bool RequirePost(const HttpRequest& request, HttpReply& reply) {
  if (request.method == "POST") return true;
  ReplyProblem({405, Concat("Expected the method POST, found ", Quoted(request.method), ".")},
               reply);
  reply.headers.Add("Allow", "POST");
  return false;
}

bool RequireSameSite(const HttpRequest& request, HttpReply& reply) {
  const std::string_view site = request.Find("sec-fetch-site");
  const std::string_view origin = request.Find("origin");
  // Current browsers send Sec-Fetch-Site. It comes first because a proxy may have changed the host
  // name.
  const bool is_same = site.empty() ? origin.empty() || IsOriginAt(request.authority, origin)
                                    : site == "same-origin" || site == "none";
  if (is_same) return true;
  ReplyProblem({403,
                "Pages of other sites may not call this: its Origin or Sec-Fetch-Site is "
                "another site's."},
               reply);
  return false;
}

void ReplyBadBody(const JsonFault& fault, HttpReply& reply) {
  const std::string_view colon = fault.field.empty() ? "" : ": ";
  ReplyProblem(
      {400, Concat(fault.field, colon, fault.message, " (byte ", fault.offset, ")."), fault.field},
      reply);
}

}  // namespace sluice
