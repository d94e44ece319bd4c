// DraftRules: generates rules and requests from a fuzz input.
#pragma once

#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "fuzz/byte_reader.h"

namespace sluice::fuzz {

inline constexpr std::string_view kDraftDomain = "d";

// The names for attributes and for keys of descriptors: few, so that rules and requests match
// often. A name may be an alias only of an earlier one, so that none refers to itself.
inline constexpr std::array<std::string_view, 4> kDraftNames = {"header.x", "ip", "path", "user"};

struct RulesDraft {
  std::string json;  // one document for kDraftDomain, usually without errors
  // All texts that a request may be compared with, used to generate requests that nearly match.
  std::vector<std::string> texts;
};

RulesDraft DraftRules(ByteReader& bytes);

// Generates a value for a request: one of the texts, a variation of one, or arbitrary bytes.
std::string DraftValue(const RulesDraft& draft, ByteReader& bytes);

}  // namespace sluice::fuzz
