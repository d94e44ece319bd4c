// Classifies the fields of HTTP/2 requests and checks which are allowed (RFC 9113, 8.2 and 8.3).
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace sluice {

enum class Http2FieldKind : std::uint8_t {
  kMethod,
  kScheme,
  kPath,
  kAuthority,
  kContentLength,
  kTe,
  kHost,
  kOther,
  kMalformed,  // not allowed in a request
};

// Returns the kind of a field by its name alone.
Http2FieldKind KindOfHttp2Name(std::string_view name);
// Returns the kind of a field with this kind of name and this value.
Http2FieldKind KindOfHttp2Field(Http2FieldKind name, std::string_view value);

// Checks whether the fields of a head, added one after another, make a valid request.
//
// Thread safety: a value.
class Http2HeadCheck {
 public:
  void Add(Http2FieldKind kind, std::string_view value);

  // After the last field: returns whether all fields were valid and none is missing.
  [[nodiscard]] bool IsRequest() const;
  // Returns the same for trailers, the fields after a body.
  [[nodiscard]] bool IsTrailer() const { return !is_malformed_ && seen_ == 0; }

  [[nodiscard]] std::optional<std::uint64_t> content_length() const { return content_length_; }

 private:
  [[nodiscard]] bool Has(Http2FieldKind kind) const {
    return (seen_ >> static_cast<unsigned>(kind) & 1U) != 0;
  }

  bool is_malformed_ = false;
  bool has_other_ = false;  // a field other than a pseudo-header was seen
  bool is_connect_ = false;
  bool has_host_ = false;
  unsigned seen_ = 0;  // one bit per kind of pseudo-header
  std::optional<std::uint64_t> content_length_;
};

}  // namespace sluice
