// RlsMetadata: what Envoy is told about a verdict for its filters and logs.
#pragma once

#include <cstdint>
#include <deque>
#include <string>
#include <string_view>

#include "gate/verdict.h"
#include "wire/rls_messages.h"
#include "wire/struct_value.h"

namespace sluice {

// When replies have dynamic metadata.
enum class DynamicMetadata : std::uint8_t {
  kOfRules,  // where a descriptor passes whose rule has `metadata`
  kAlways,
};

// Writes the dynamic metadata of a reply, in the form of envoyproxy/ratelimit and with what came of
// each descriptor:
//
//   {"domain":"api","hitsAddend":2,
//    "descriptors":[{"entries":["user=42"],"hitsAddend":1,"allowed":true,"rule":"user","limit":10,
//                    "remaining":9}],
//    "metadata":{"team":"payments"}}
//
//   - bytes of a value that are not UTF-8 are written as \xNN, since Envoy reads nothing else.
//   - hitsAddend is there where the request or the descriptor says one.
//   - rule, limit and remaining are those of the limit nearest to refusal; where there is none, or
//     its algorithm has no such numbers, they are left out.
//   - metadata is that of all rules whose descriptors pass, put together: of two values under one
//     name the first counts, but mappings are merged.
//
// Thread safety: none. Ownership: what it writes is its own until the next call.
class RlsMetadata {
 public:
  explicit RlsMetadata(DynamicMetadata when) : when_(when) {}

  // A google.protobuf.Struct; empty where the reply has none. REQUIRES: the verdict is that of the
  // request.
  std::string_view Write(const RlsRequest& request, const Verdict& verdict);

 private:
  // A text of its own that values view.
  std::string_view Keep(std::string text) { return texts_.emplace_back(std::move(text)); }
  StructValue Describe(const RlsRequest& request, std::size_t number, const Verdict& verdict);

  DynamicMetadata when_;
  std::deque<std::string> texts_;
  std::string out_;
};

}  // namespace sluice
