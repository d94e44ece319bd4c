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
#include "net/exchange.h"
#include "sluice/attribute.h"
#include "wire/cookie.h"
#include "wire/forwarded.h"
#include "wire/query.h"
#include "wire/target.h"

namespace sluice {

// What an address is to us; that of a peer over a Unix socket is empty. Called on the worker's
// thread.
using TrustFunction = std::function<Hop(std::string_view address)>;

// Finds out what a client asked of a proxy, from what the proxy asks of us:
//
//   method               X-Forwarded-Method or X-Original-Method, else that of the call
//   path, path.raw,      X-Forwarded-Uri or X-Original-URI, or what stands after the domain in the
//   query.NAME           path of the call
//   host                 X-Forwarded-Host, else that of the call; in lower case, without its port
//                        and a dot at the end
//   ip                   the peer, or from X-Forwarded-For or Forwarded
//   header.NAME          all headers of the call, names in lower case
//   cookie.NAME
//
// `path` is the lenient form of the path (PathForms), and strict_path() the other one. Of what
// comes twice each is there; of `user[]=1` there is also `query.user`, because many applications
// read it so.
//
// Thread safety: none. Ownership: the attributes view the request and this object, until the next
// Read.
//
// Invariants
//   (1) X-Forwarded-*, X-Original-* and Forwarded count only from trusted peers.
//   (2) The path and the method have one answer. A proxy sets one of these headers and may pass on
//       the others as its client wrote them, and which one is the proxy's cannot be known: where
//       two differ, or the same comes twice, the request is refused.
//       The client has one answer, too: where X-Forwarded-For and Forwarded name different ones the
//       request is refused, unless ClientHeader says which of them counts. A header that names
//       nobody, or in a way that is not understood, names the proxy that sent it.
//       Headers, parameters and cookies need one answer only where a rule uses them, so the gate
//       refuses those that are not the same in lenient_attributes().
//   (3) More attributes than the bound are refused, never left out: whoever could make one go
//       missing would escape the rules that ask for it.
//   (4) Once it has seen the largest request it allocates nothing.
class OriginalRequest {
 public:
  // What a request may have at most: headers, cookies and parameters of the query.
  static constexpr std::size_t kAttributesMost = 1000;

  explicit OriginalRequest(TrustFunction trust, ClientHeader client_header = ClientHeader::kEither)
      : trust_(std::move(trust)), client_header_(client_header) {}

  // `suffix` is what stands after the domain in the target of the call, path and query, or empty.
  // Says what is wrong with it, or nothing.
  std::optional<std::string> Read(const HttpRequest& call, std::string_view suffix);

  [[nodiscard]] std::span<const Attribute> attributes() const { return attributes_; }
  // What a lenient application may read besides: headers with '_' in their names as those with
  // '-', all parameters of a query with ';' where that separates them, too, cookies under their
  // decoded names, and parameters and cookies under the names that PHP gives them.
  [[nodiscard]] std::span<const Attribute> lenient_attributes() const {
    return lenient_attributes_;
  }
  // The strict form of the path, where it is another one than `path`; else empty.
  [[nodiscard]] std::string_view strict_path() const { return strict_path_; }
  // Whether the call says who its client is, or what it asked for, and is not trusted to.
  [[nodiscard]] bool HasIgnoredHeaders() const;
  // Whether the call says nowhere what the path of the original is.
  [[nodiscard]] bool is_without_path() const { return is_without_path_; }

 private:
  // The values of headers that mean the same. Those of a stranger are none.
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
  void ReadHost();
  std::optional<std::string> ReadAddress();
  // The client that the headers of this name lead to; none where there are no such headers.
  template <typename Reader>
  std::optional<std::string_view> ClientBy(std::string_view header_name);
  std::optional<std::string> ReadHeaders();
  // False where there is no room for it.
  bool AddWithHyphens(const Header& header);
  std::optional<std::string> ReadCookies(std::string_view field_value);
  bool AddCookieDecoded(const Cookie& cookie);
  // Adds what PHP knows by another name. REQUIRES: the name has no prefix.
  bool AddAsInPhp(std::string_view prefix, std::string_view name, std::string_view value);

  // "header.x-user" in kept_.
  std::string_view KeepName(std::string_view prefix, std::string_view name);
  std::string_view Keep(std::string_view text);
  // False where there is no room for another.
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
  std::string kept_;                    // texts that had to be made; never moves in a request
  PathScratch path_;                    // the forms of the path, where they are not as sent
  std::string_view strict_path_;
  std::string decoded_;
  std::string php_name_;
};

}  // namespace sluice
