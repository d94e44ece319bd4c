// OriginalRequest: the request that a proxy asks about, as attributes.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/caller_policy.h"
#include "net/http1/exchange.h"
#include "sluice/attribute.h"
#include "wire/cookie.h"
#include "wire/forwarded.h"
#include "wire/query.h"
#include "wire/target.h"

namespace sluice {

// Classifies an address as trusted or not. The address of a peer over a Unix socket is empty.
// Called on the worker's thread.
using TrustFunction = std::function<Hop(std::string_view address)>;

// Derives the request of a proxy's client from the call that the proxy makes:
//
//   method               X-Forwarded-Method or X-Original-Method, else that of the call
//   path, path.raw,      X-Forwarded-Uri or X-Original-URI, or the part after the domain in the
//   query.NAME           path of the call
//   host                 X-Forwarded-Host, else that of the call; in lower case, without its port
//                        and a dot at the end
//   ip                   the peer, or from X-Forwarded-For or Forwarded
//   header.NAME          all headers of the call, names in lower case
//   cookie.NAME
//
// `path` is the lenient form of the path (PathForms), and strict_path() is the strict one. All
// values of repeated headers, parameters and cookies are kept. `user[]=1` also gives `query.user`,
// because many applications read it that way.
//
// Thread safety: none. Ownership: the attributes view the request and this object, until the next
// Read.
//
// Invariants
//   (1) X-Forwarded-*, X-Original-* and Forwarded count only from trusted peers.
//   (2) The path and the method must be unambiguous. A proxy sets one of these headers and may pass
//       on the others as its client wrote them, and there is no way to know which one the proxy
//       set. If two of them differ, or two values of one header, the request is refused.
//       The client must be unambiguous, too: if X-Forwarded-For and Forwarded name different ones,
//       the request is refused unless ClientHeader says which one counts. A header that names no
//       client, or cannot be parsed, names the proxy that sent it.
//       Headers, parameters and cookies must be unambiguous only if a rule uses them, so the gate
//       refuses those that differ in lenient_attributes().
//   (3) More attributes than the bound are refused, never left out, because a client that could
//       make one disappear would escape the rules that match it.
//   (4) Once it has seen the largest request, it allocates nothing.
class OriginalRequest {
 public:
  // The maximum number of attributes of a request: headers, cookies and parameters of the query.
  static constexpr std::size_t kMaxAttributes = 1000;

  explicit OriginalRequest(TrustFunction trust, ClientHeader client_header = ClientHeader::kEither)
      : trust_(std::move(trust)), client_header_(client_header) {}

  // `suffix` is the part of the call's target after the domain, with its query, or empty. Returns
  // the fault of the call, or nothing.
  std::optional<std::string> Read(const HttpRequest& call, std::string_view suffix);

  [[nodiscard]] std::span<const Attribute> attributes() const { return attributes_; }
  // Returns what a lenient application may read in addition: headers with each '_' of their names
  // replaced by '-', all parameters of a query if ';' separates them, too, cookies under their
  // decoded names, and parameters and cookies under the names that PHP gives them.
  [[nodiscard]] std::span<const Attribute> lenient_attributes() const {
    return lenient_attributes_;
  }
  // Returns the strict form of the path if it differs from `path`; else empty.
  [[nodiscard]] std::string_view strict_path() const { return strict_path_; }
  // Whether the call has headers about its client or the original request that are not trusted.
  [[nodiscard]] bool HasIgnoredHeaders() const;
  // Whether the call does not say what the path of the original request is.
  [[nodiscard]] bool is_without_path() const { return is_without_path_; }

 private:
  // The value of several headers with one meaning. Headers of an untrusted peer are ignored.
  struct Claims {
    std::string_view value;
    bool differ = false;
  };
  [[nodiscard]] Claims Claim(std::span<const std::string_view> names, std::string_view own) const;

  std::optional<std::string> ReadParts(std::string_view suffix);
  std::optional<std::string> ReadMethod(std::string_view suffix);
  std::optional<std::string> ReadTarget(std::string_view suffix);
  std::optional<std::string> ReadQuery(std::string_view query, QuerySeparator separator,
                                       std::vector<Attribute>& out);
  std::optional<std::string> ReadHost();
  std::optional<std::string> ReadAddress();
  // Returns the client that the headers of this name lead to; nothing if there are no such headers.
  template <typename Reader>
  std::optional<std::string_view> ClientBy(std::string_view header_name);
  std::optional<std::string> ReadHeaders();
  // Returns false if there is no room for it.
  bool AddWithHyphens(const Header& header);
  std::optional<std::string> ReadCookies(std::string_view field_value);
  bool AddCookieDecoded(const Cookie& cookie);
  // Adds the attribute under its name in PHP if that differs. REQUIRES: the name has no prefix.
  bool AddAsInPhp(std::string_view prefix, std::string_view name, std::string_view value);

  // Appends "header.x-user" to kept_, with the name in lower case.
  std::string_view KeepName(std::string_view prefix, std::string_view name);
  std::string_view Keep(std::string_view text);
  // Returns false if there is no room for another.
  bool Add(std::string_view name, std::string_view value) { return Add(name, value, attributes_); }
  static bool Add(std::string_view name, std::string_view value, std::vector<Attribute>& out);

  TrustFunction trust_;
  ClientHeader client_header_;
  const HttpRequest* call_ = nullptr;
  bool is_trusted_ = false;
  bool is_without_path_ = false;
  std::vector<Attribute> attributes_;
  std::vector<Attribute> lenient_attributes_;
  std::vector<std::string_view> hops_;  // values of one header
  std::string kept_;                    // texts that were built; never reallocated within a request
  PathScratch path_;                    // the forms of the path, if they differ from what was sent
  std::string_view strict_path_;
  std::string decoded_;
  std::string php_name_;
};

}  // namespace sluice
