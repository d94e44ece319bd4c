#include "config/settings/store_url.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <utility>
#include <variant>

#include "base/decimal.h"
#include "base/spelling.h"
#include "base/text.h"
#include "config/syntax/percent.h"

namespace sluice {
namespace {

using Kind = StoreUrl::Kind;

struct Scheme {
  std::string_view name;
  Kind kind;
  std::uint16_t port;
  bool tls = false;
  bool several_hosts = false;
  bool is_socket = false;  // a Unix socket instead of hosts
};

constexpr std::array kSchemes = {
    Scheme{"redis", Kind::kRedis, 6379},
    Scheme{"rediss", Kind::kRedis, 6379, true},
    Scheme{"redis+unix", Kind::kRedis, 0, false, false, true},
    Scheme{"redis+sentinel", Kind::kSentinel, 26379, false, true},
    Scheme{"redis+cluster", Kind::kCluster, 6379, false, true},
};

constexpr std::string_view kExpected =
    "expected memory, redis://, rediss://, redis+unix://, redis+sentinel:// or redis+cluster://";
constexpr std::int64_t kMaxDatabase = 65'535;
constexpr std::size_t kMaxHosts = 64;

// The parts after the scheme, still percent-encoded.
struct Parts {
  std::string_view login;  // "user:password"
  bool has_login = false;
  std::string_view hosts;
  std::string_view path;   // without its leading slash
  std::string_view query;  // without the question mark
};

Result<Parts> Split(std::string_view rest) {
  const std::size_t at = rest.find('@');
  const std::size_t end = std::min(rest.find_first_of("/?#"), rest.size());
  // An unencoded slash in a password would end the password early, and the rest would be read as a
  // path. Therefore an '@' is accepted in one position only, and no error quotes the text.
  if (at != rest.npos && (at > end || rest.find('@', at + 1) != rest.npos)) {
    return Error{
        "an '@' may stand only between the password and the host of a store; in a user or password "
        "/ ? # @ : and % are written %2F %3F %23 %40 %3A and %25"};
  }
  Parts parts;
  if (at != rest.npos) {
    parts.has_login = true;
    parts.login = rest.substr(0, at);
    rest.remove_prefix(at + 1);
  }
  if (rest.find('#') != rest.npos) return Error{"the URL of a store has no '#' part"};
  const std::size_t question = rest.find('?');
  if (question != rest.npos) parts.query = rest.substr(question + 1);
  rest = rest.substr(0, question);
  const std::size_t slash = rest.find('/');
  if (slash != rest.npos) parts.path = rest.substr(slash + 1);
  parts.hosts = rest.substr(0, slash);
  return parts;
}

Result<std::string> Decode(std::string_view what, std::string_view text) {
  std::optional<std::string> decoded = PercentDecode(text);
  if (decoded) return *std::move(decoded);
  return Error{
      Concat(what, " of a store has a '%' that is not followed by two hexadecimal digits")};
}

Result<Done> ReadLogin(const Parts& parts, StoreUrl& url) {
  if (!parts.has_login) return Done{};
  const std::size_t colon = parts.login.find(':');
  Result<std::string> user = Decode("the user", parts.login.substr(0, colon));
  if (!user.ok()) return user.error();
  url.user = std::move(user).value();
  if (colon == parts.login.npos) return Done{};
  Result<std::string> password = Decode("the password", parts.login.substr(colon + 1));
  if (!password.ok()) return password.error();
  url.password = Secret(std::move(password).value());
  return Done{};
}

Result<Done> ReadSocket(const Parts& parts, StoreUrl& url) {
  Result<std::string> path = Decode("the path", parts.path);
  if (!path.ok()) return path.error();
  url.socket = "/" + std::move(path).value();
  const bool fits = url.socket.size() > 1 && url.socket.size() <= kMaxUnixPathBytes;
  if (fits && parts.hosts.empty()) return Done{};
  return Error{Concat("a redis+unix:// store needs the path of its socket, of at most ",
                      kMaxUnixPathBytes, " bytes, after the slashes: redis+unix:///PATH, or ",
                      "redis+unix://:PASSWORD@/PATH")};
}

Result<Done> ReadHosts(const Scheme& scheme, const Parts& parts, StoreUrl& url) {
  if (scheme.is_socket) return ReadSocket(parts, url);
  std::string_view hosts = parts.hosts;
  for (;;) {
    const std::size_t comma = hosts.find(',');
    Result<TcpAddress> host = ParseHost(hosts.substr(0, comma), scheme.port);
    if (!host.ok()) {
      // In redis://user:password the host is missing and the "port" is the password.
      if (!parts.has_login) {
        return Error{Concat("the URL of a store needs a host after the slashes: ", scheme.name,
                            "://HOST:PORT, or ", scheme.name, "://:PASSWORD@HOST:PORT")};
      }
      return Error{Concat("in the URL of a store: ", host.error().message)};
    }
    url.hosts.push_back(std::move(host).value());
    if (comma == hosts.npos) break;
    hosts.remove_prefix(comma + 1);
  }
  if (!scheme.several_hosts && url.hosts.size() > 1) {
    return Error{Concat("a ", scheme.name, ":// store has one host, found ", url.hosts.size(),
                        "; several are for redis+sentinel:// and redis+cluster://")};
  }
  if (url.hosts.size() > kMaxHosts) {
    return Error{Concat("a store has at most ", kMaxHosts, " hosts, found ", url.hosts.size())};
  }
  return Done{};
}

Result<Done> ReadDatabase(std::string_view text, StoreUrl& url) {
  if (text.empty()) return Done{};
  const auto number = ReadWhole(text);
  const auto* value = std::get_if<std::int64_t>(&number);
  if (value == nullptr || *value > kMaxDatabase) {
    return Error{Concat("the database of a store", url.socket.empty() ? ", after its host," : "",
                        " must be a number from 0 to ", kMaxDatabase)};
  }
  url.database = static_cast<int>(*value);
  return Done{};
}

Result<Done> ReadPath(const Scheme& scheme, std::string_view path, StoreUrl& url) {
  if (scheme.is_socket) return Done{};
  if (url.kind == Kind::kRedis) return ReadDatabase(path, url);
  if (url.kind == Kind::kSentinel) {
    const std::size_t slash = path.find('/');
    Result<std::string> primary = Decode("the primary", path.substr(0, slash));
    if (!primary.ok()) return primary.error();
    if (primary.value().empty()) {
      return Error{"a redis+sentinel:// store needs the name of its primary: HOST,HOST/PRIMARY"};
    }
    url.primary = std::move(primary).value();
    return slash == path.npos ? Done{} : ReadDatabase(path.substr(slash + 1), url);
  }
  if (path.empty()) return Done{};
  return Error{Concat("a ", scheme.name,
                      ":// store has no path after its hosts; a cluster has database 0 alone")};
}

constexpr std::array<std::string_view, 5> kParameters = {"tls", "ca", "certificate", "key",
                                                         "server_name"};

Result<Done> SetTls(std::string_view value, const Scheme& scheme, StoreUrl& url) {
  if (value != "true" && (value != "false" || scheme.tls)) {
    return Error{Concat("'tls' must be true", scheme.tls ? " for rediss://" : " or false")};
  }
  if (value == "true" && !url.tls) url.tls.emplace();
  return Done{};
}

// The TLS parameters, collected first because `tls` itself may come after them.
struct TlsParameters {
  StoreUrl::Tls tls;
  std::string_view first;  // name of the first one given
  bool tls_is_given = false;
};

std::string& FieldOf(std::string_view name, StoreUrl::Tls& tls) {
  if (name == "ca") return tls.ca;
  if (name == "certificate") return tls.certificate;
  return name == "key" ? tls.key : tls.server_name;
}

Result<Done> ReadParameter(std::string_view text, const Scheme& scheme, TlsParameters& parameters,
                           StoreUrl& url) {
  const std::size_t equals = text.find('=');
  const std::string_view name = text.substr(0, equals);
  if (std::ranges::find(kParameters, name) == kParameters.end()) {
    return Error{Concat("unknown parameter of a store", Suggestion(name, kParameters))};
  }
  Result<std::string> value =
      Decode("a parameter", equals == text.npos ? "" : text.substr(equals + 1));
  if (!value.ok()) return value.error();
  if (value.value().empty()) return Error{Concat("the parameter ", Quoted(name), " needs a value")};
  const bool is_tls = name == "tls";
  std::string& field = FieldOf(name, parameters.tls);
  if (is_tls ? parameters.tls_is_given : !field.empty()) {
    return Error{Concat("the parameter ", Quoted(name), " is given twice")};
  }
  if (is_tls) {
    parameters.tls_is_given = true;
    return SetTls(value.value(), scheme, url);
  }
  field = std::move(value).value();
  if (parameters.first.empty()) parameters.first = name;
  return Done{};
}

// Reads `database`, the only parameter of a socket URL; sockets have no TLS.
Result<Done> ReadSocketQuery(std::string_view query, StoreUrl& url) {
  constexpr std::string_view kDatabase = "database=";
  if (query.empty()) return Done{};
  if (query.starts_with(kDatabase)) return ReadDatabase(query.substr(kDatabase.size()), url);
  return Error{"a redis+unix:// store has one parameter: ?database=NUMBER"};
}

Result<Done> ReadQuery(const Scheme& scheme, std::string_view query, StoreUrl& url) {
  if (scheme.is_socket) return ReadSocketQuery(query, url);
  TlsParameters parameters;
  while (!query.empty()) {
    const std::size_t end = std::min(query.find('&'), query.size());
    const Result<Done> read = ReadParameter(query.substr(0, end), scheme, parameters, url);
    if (!read.ok()) return read.error();
    query.remove_prefix(std::min(end + 1, query.size()));
  }
  if (!url.tls && !parameters.first.empty()) {
    return Error{Concat("the parameter ", Quoted(parameters.first), " needs TLS: ",
                        url.kind == Kind::kRedis ? "rediss:// or ?tls=true" : "?tls=true")};
  }
  if (parameters.tls.certificate.empty() != parameters.tls.key.empty()) {
    const bool lacks_key = parameters.tls.key.empty();
    return Error{Concat("the parameter ", lacks_key ? "'certificate'" : "'key'", " needs ",
                        lacks_key ? "'key'" : "'certificate'", ", too")};
  }
  if (url.tls) url.tls = std::move(parameters.tls);
  return Done{};
}

Result<const Scheme*> FindScheme(std::string_view name) {
  for (const Scheme& scheme : kSchemes) {
    if (scheme.name == name) return &scheme;
  }
  return Error{Concat("unknown kind of store; ", kExpected)};
}

// REQUIRES: url.kind is not kMemory.
std::string_view SchemeOf(const StoreUrl& url) {
  const auto fits = [&](const Scheme& scheme) {
    if (scheme.kind != url.kind || scheme.is_socket == url.socket.empty()) return false;
    return url.kind != Kind::kRedis || scheme.tls == url.tls.has_value();
  };
  return std::ranges::find_if(kSchemes, fits)->name;
}

}  // namespace

Result<StoreUrl> ParseStoreUrl(std::string_view text) {
  if (text == "memory") return StoreUrl{};
  const std::size_t colon = text.find("://");
  if (colon == text.npos) {
    // Not shown: the text may be a password given to the wrong flag.
    return Error{Concat("the store is no URL; ", kExpected)};
  }
  const Result<const Scheme*> found = FindScheme(text.substr(0, colon));
  if (!found.ok()) return found.error();
  const Scheme& scheme = *found.value();
  StoreUrl url;
  url.kind = scheme.kind;
  if (scheme.tls) url.tls = StoreUrl::Tls{};
  const Result<Parts> parts = Split(text.substr(colon + 3));
  if (!parts.ok()) return parts.error();
  Result<Done> read = ReadLogin(parts.value(), url);
  if (read.ok()) read = ReadHosts(scheme, parts.value(), url);
  if (read.ok()) read = ReadPath(scheme, parts.value().path, url);
  if (read.ok()) read = ReadQuery(scheme, parts.value().query, url);
  if (!read.ok()) return read.error();
  return url;
}

std::string FormatStoreUrl(const StoreUrl& url) {
  if (url.kind == Kind::kMemory) return "memory";
  std::string text = Concat(SchemeOf(url), "://");
  text += PercentEncode(url.user);
  if (url.password) text += Concat(":", *url.password);
  if (url.password || !url.user.empty()) text += "@";
  if (!url.socket.empty()) {
    return text + Concat(PercentEncode(url.socket, "/"), "?database=", url.database);
  }
  for (const TcpAddress& host : url.hosts) {
    text += Concat(&host == url.hosts.data() ? "" : ",", FormatAddress(host));
  }
  if (url.kind == Kind::kSentinel) text += Concat("/", PercentEncode(url.primary));
  if (url.kind == Kind::kRedis || url.kind == Kind::kSentinel) text += Concat("/", url.database);
  if (!url.tls) return text;
  char before = '?';
  const auto add = [&](std::string_view name, std::string_view value) {
    if (value.empty()) return;
    text += Concat(std::string_view(&before, 1), name, "=", PercentEncode(value, "/"));
    before = '&';
  };
  if (url.kind != Kind::kRedis) add("tls", "true");
  add("ca", url.tls->ca);
  add("certificate", url.tls->certificate);
  add("key", url.tls->key);
  add("server_name", url.tls->server_name);
  return text;
}

}  // namespace sluice
