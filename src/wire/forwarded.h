// Finds the client's address behind proxies, using X-Forwarded-For or Forwarded (RFC 7239).
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

namespace sluice {

// The values of all header fields with one name, in the order they arrived. Several fields are read
// as one, joined by commas.
using FieldValues = std::span<const std::string_view>;

// Reads the addresses of X-Forwarded-For from last to first: the nearest proxy added the last one,
// and the client may have forged the first.
//
// Thread safety: none. Views the values.
//
// Invariants:
//  1. An address is returned without brackets and port, and consists of hexadecimal digits, dots
//     and colons. The caller checks whether it is a valid address, because it has to parse it
//     anyway.
//  2. Anything else (`unknown`, obfuscated names, zones, a malformed port) ends the reading: no
//     address before it is ever returned.
//  3. Empty elements are skipped, as in every HTTP list.
class ForwardedForReader {
 public:
  explicit ForwardedForReader(FieldValues values) : values_(values) {}

  // Returns the next address towards the client, or nullopt at the end.
  std::optional<std::string_view> Next();

 private:
  FieldValues values_;
  std::string_view rest_;
};

// Reads the `for` parameter of each element of Forwarded in the same way. An element that is
// malformed, or that has no `for` or two of them, ends the reading.
//
// Invariants:
//  4. A comma inside a quoted value is never taken for the end of an element. Elements are split at
//     every comma; if that splits a quoted value, the piece after the comma has an odd number of
//     quotes and is malformed.
class ForwardedReader {
 public:
  explicit ForwardedReader(FieldValues values) : values_(values) {}

  std::optional<std::string_view> Next();

 private:
  FieldValues values_;
  std::string_view rest_;
};

// How far an address is trusted.
enum class Hop : std::uint8_t {
  kTrusted,    // one of our proxies, which reports its client truthfully
  kStranger,   // any other address
  kNoAddress,  // the text is not an address
};

// Returns the address of the client: the peer or, if that is a trusted proxy, the address that the
// proxy reports, and so on. If the reader ends early, the last valid address counts. At worst,
// clients behind one proxy are taken for one client; a forged address is never believed.
//
// Calls `judge` once for the peer and once for each address: Hop judge(std::string_view).
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
