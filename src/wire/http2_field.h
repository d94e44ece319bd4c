// What the fields of an HTTP/2 request are, and which it may not have (RFC 9113, 8.2 and 8.3).
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
  kMalformed,  // no request may have it
};

// By its name alone.
Http2FieldKind KindOfHttp2Name(std::string_view name);
// With that kind of name, and this value.
Http2FieldKind KindOfHttp2Field(Http2FieldKind name, std::string_view value);

// Whether the fields of a head, one after another, make a request.
//
// Thread safety: a value.
class Http2HeadCheck {
 public:
  void Add(Http2FieldKind kind, std::string_view value);

  // After the last one: whether all were as they should be, and none is missing.
  [[nodiscard]] bool IsRequest() const;
  // The same of those that follow a body.
  [[nodiscard]] bool IsTrailer() const { return !is_malformed_ && seen_ == 0; }

  [[nodiscard]] std::optional<std::uint64_t> content_length() const { return content_length_; }

 private:
  [[nodiscard]] bool Has(Http2FieldKind kind) const {
    return (seen_ >> static_cast<unsigned>(kind) & 1U) != 0;
  }

  bool is_malformed_ = false;
  bool has_other_ = false;  // than those that come first
  bool is_connect_ = false;
  bool has_host_ = false;
  unsigned seen_ = 0;  // a bit for each kind of those
  std::optional<std::uint64_t> content_length_;
};

}  // namespace sluice
