// DraftRules: rules and requests out of an input's choices.
#pragma once

#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "fuzz/byte_reader.h"

namespace sluice::fuzz {

inline constexpr std::string_view kDraftDomain = "d";

// The names that attributes and keys of descriptors are drawn from: few, so that rules and requests
// meet. One may stand for any of those before it, so that none stands for itself.
inline constexpr std::array<std::string_view, 4> kDraftNames = {"header.x", "ip", "path", "user"};

struct RulesDraft {
  std::string json;  // one document of kDraftDomain, most often one without errors
  // Everything that a request may be compared with, so that requests come near it.
  std::vector<std::string> texts;
};

RulesDraft DraftRules(ByteReader& bytes);

// A value for a request: one of the texts, nearly one, or any bytes at all.
std::string DraftValue(const RulesDraft& draft, ByteReader& bytes);

}  // namespace sluice::fuzz
