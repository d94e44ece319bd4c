// The client's address behind proxies: X-Forwarded-For and Forwarded (RFC 7239).
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

namespace sluice {

// The values of all fields of one name, in the order they came; several are read as one, joined by
// commas.
using FieldValues = std::span<const std::string_view>;

// Reads the addresses of X-Forwarded-For from the last one, which the nearest proxy has added, to
// the first, which the client may have made up.
//
// Thread safety: none. Views the values.
//
// Invariants:
//  1. An address is returned without brackets and port, and consists of hexadecimal digits, dots
//     and colons. Whether it is one is for the caller to say, who has to read it anyway.
//  2. Whatever else stands there (unknown, obfuscated names, zones, a malformed port) ends the
//     reading: nothing that stands before it is ever returned.
//  3. Empty elements are skipped, as in every list of HTTP.
class ForwardedForReader {
 public:
  explicit ForwardedForReader(FieldValues values) : values_(values) {}

  // None at the end.
  std::optional<std::string_view> Next();

 private:
  FieldValues values_;
  std::string_view rest_;
};

// The same for the `for` of each element of Forwarded. An element without one, or with two, or that
// is malformed, ends the reading.
//
// Invariants:
//  4. A comma inside a quoted value cannot pass for the end of an element. Elements are cut at
//     every comma; where that cuts a quoted value the piece after it has an odd number of quotes,
//     and is malformed.
class ForwardedReader {
 public:
  explicit ForwardedReader(FieldValues values) : values_(values) {}

  std::optional<std::string_view> Next();

 private:
  FieldValues values_;
  std::string_view rest_;
};

// What an address is to us.
enum class Hop : std::uint8_t {
  kTrusted,    // a proxy of ours, which tells the truth about who came to it
  kStranger,   // anybody else
  kNoAddress,  // the text is no address
};

// The address of the client: the peer, or if that is a trusted proxy the one that came to it, and
// so on. Where the readers end, the last good address counts: at worst clients behind one proxy
// are taken for one, never is an address believed that anybody could have written.
//
// `judge` is asked about the peer and each address once: Hop judge(std::string_view).
template <typename Reader, typename Judge>
std::string_view ClientAddress(std::string_view peer, Reader reader, Judge judge) {
  std::string_view client = peer;
  Hop hop = judge(client);
  while (hop == Hop::kTrusted) {
    const std::optional<std::string_view> next = reader.Next();
    if (!next) break;
    hop = judge(*next);
    if (hop != Hop::kNoAddress) client = *next;
  }
  return client;
}

}  // namespace sluice
