// RlsMetadata: the dynamic metadata about a verdict, for Envoy's filters and logs.
#pragma once

#include <cstdint>
#include <deque>
#include <string>
#include <string_view>

#include "gate/verdict.h"
#include "wire/grpc/rls_messages.h"
#include "wire/grpc/struct_value.h"

namespace sluice {

// The replies that have dynamic metadata.
enum class DynamicMetadata : std::uint8_t {
  kOfRules,  // if a descriptor passes whose rule has `metadata`
  kAlways,
};

// Writes the dynamic metadata of a reply in the format of envoyproxy/ratelimit, extended by the
// result of each descriptor:
//
//   {"domain":"api","hitsAddend":2,
//    "descriptors":[{"entries":["user=42"],"hitsAddend":1,"allowed":true,"rule":"user","limit":10,
//                    "remaining":9}],
//    "metadata":{"team":"payments"}}
//
//   - Bytes of a value that are not UTF-8 are written as \xNN, because Envoy reads nothing else.
//   - hitsAddend is present if the request or the descriptor has one.
//   - rule, limit and remaining belong to the limit nearest to refusal. They are left out if there
//     is none, or if its algorithm has no such numbers.
//   - metadata combines that of all rules whose descriptors pass. Mappings are merged; of other
//     values under one name, the first counts.
//
// Thread safety: none. Ownership: owns what it writes, until the next call.
class RlsMetadata {
 public:
  explicit RlsMetadata(DynamicMetadata when) : when_(when) {}

  // Returns a google.protobuf.Struct; empty if the reply has none.
  // REQUIRES: the verdict belongs to the request.
  std::string_view Write(const RlsRequest& request, const Verdict& verdict);

 private:
  // Stores a text that values view.
  std::string_view Keep(std::string text) { return texts_.emplace_back(std::move(text)); }
  StructValue Describe(const RlsRequest& request, std::size_t number, const Verdict& verdict);

  DynamicMetadata when_;
  std::deque<std::string> texts_;
  std::string out_;
};

}  // namespace sluice
