#include "cli/check/credentials.h"

#include <algorithm>
#include <array>
#include <cstddef>

#include "base/ascii.h"
#include "base/text.h"
#include "config/syntax/file_text.h"
#include "wire/resp/resp_writer.h"

namespace sluice::cli {
namespace {

constexpr std::size_t kMaxTokenBytes = 1024;
constexpr std::string_view kAuthorization = "authorization";

// These headers control where a request goes or where it ends, so only the protocol sets them.
constexpr std::array<std::string_view, 9> kOfTheProtocol = {
    "connection", "content-length",    "content-type", "host", "keep-alive", "proxy-connection",
    "te",         "transfer-encoding", "upgrade"};

// Control characters could begin another header.
bool IsHeaderText(std::string_view text) { return std::ranges::none_of(text, IsControl); }

Result<Done> AddHeader(std::string_view text, HeaderList& headers) {
  std::string_view value = text;
  std::string name(TakeUntil(':', value));
  std::ranges::transform(name, name.begin(), ToLower);
  while (value.starts_with(' ')) value.remove_prefix(1);
  while (value.ends_with(' ')) value.remove_suffix(1);
  if (text.find(':') == std::string_view::npos || name.empty() || !kTokenBytes.HasAll(name) ||
      !IsHeaderText(value)) {
    // The message does not repeat the text, because it may hold a secret.
    return Error{"--header: expected 'NAME: VALUE', found something else"};
  }
  if (std::ranges::find(kOfTheProtocol, name) != kOfTheProtocol.end()) {
    return Error{Concat("--header: ", name, " is set by the protocol")};
  }
  headers.Add(name, value);
  return Done{};
}

Result<std::string> ReadToken(const std::string& path) {
  const Result<std::string> text = ReadFileText(path);
  if (!text) return Error{Concat("--token-file: ", Quoted(path), " ", text.error().message)};
  std::string_view token = text.value();
  if (token.ends_with('\n')) token.remove_suffix(1);
  if (token.ends_with('\r')) token.remove_suffix(1);
  if (token.empty() || token.size() > kMaxTokenBytes || !IsHeaderText(token)) {
    return Error{Concat("--token-file: expected one line of 1 to ", kMaxTokenBytes, " bytes in ",
                        Quoted(path))};
  }
  return std::string(token);
}

}  // namespace

Result<Credentials> ReadCredentials(const GivenFlags& given) {
  Credentials credentials;
  for (const std::string_view text : given.Values(kHeaderFlag.name)) {
    const Result<Done> added = AddHeader(text, credentials.headers);
    if (!added) return added.error();
  }
  if (!given.Has(kTokenFlag.name)) return credentials;
  for (std::size_t i = 0; i < credentials.headers.size(); ++i) {
    if (credentials.headers[i].name == kAuthorization) {
      return Error{"expected --token-file or the --header authorization, found both"};
    }
  }
  Result<std::string> token = ReadToken(std::string(given.ValueOr(kTokenFlag.name, "")));
  if (!token) return token.error();
  credentials.token = std::move(token).value();
  credentials.headers.Add(kAuthorization, Concat("Bearer ", credentials.token));
  return credentials;
}

std::string HeaderLines(const HeaderList& headers) {
  std::string lines;
  for (std::size_t i = 0; i < headers.size(); ++i) {
    lines += Concat(headers[i].name, ": ", headers[i].value, "\r\n");
  }
  return lines;
}

std::string AuthCommand(std::string_view token) {
  std::string command;
  if (token.empty()) return command;
  RespWriter writer(RespVersion::k2, command);
  writer.ArrayHeader(2);
  writer.Bulk("AUTH");
  writer.Bulk(token);
  return command;
}

}  // namespace sluice::cli
