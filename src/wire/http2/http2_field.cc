#include "wire/http2/http2_field.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <system_error>

#include "base/ascii.h"

namespace sluice {
namespace {

constexpr ByteSet kNameBytes = ByteSet("!#$%&'*+-.^_`|~").WithRange('0', '9').WithRange('a', 'z');
constexpr ByteSet kValueBytes = ByteSet("\t").WithRange(0x20, 0x7E).WithRange(0x80, 0xFF);

// Fields about one connection, which HTTP/2 does not allow because its frames do that job.
constexpr std::array<std::string_view, 5> kOfConnections = {
    "connection", "keep-alive", "proxy-connection", "transfer-encoding", "upgrade"};

// Digits of a 64-bit number, counting leading zeros. The bound matters because a length is parsed
// each time it occurs, and two bytes can refer to a field of thousands of bytes in the table.
constexpr std::size_t kMaxLengthDigits = 20;

bool IsValue(std::string_view value) {
  if (value.empty()) return true;
  return !IsBlank(value.front()) && !IsBlank(value.back()) && kValueBytes.HasAll(value);
}

Http2FieldKind KindOfPseudoName(std::string_view name) {
  if (name == ":method") return Http2FieldKind::kMethod;
  if (name == ":path") return Http2FieldKind::kPath;
  if (name == ":scheme") return Http2FieldKind::kScheme;
  return name == ":authority" ? Http2FieldKind::kAuthority : Http2FieldKind::kMalformed;
}

bool IsValueFor(Http2FieldKind name, std::string_view value) {
  switch (name) {
    case Http2FieldKind::kMethod:
      return !value.empty() && kTokenBytes.HasAll(value);
    case Http2FieldKind::kPath:
      return (value.starts_with('/') && kTargetBytes.HasAll(value)) || value == "*";
    case Http2FieldKind::kAuthority:
    case Http2FieldKind::kHost:
      // Proxies put names there that are not hosts, such as `outbound|80||limits`.
      return kTargetBytes.HasAll(value);
    case Http2FieldKind::kContentLength:
      return value.size() <= kMaxLengthDigits;
    case Http2FieldKind::kTe:
      return EqualsLower(value, "trailers");
    default:
      return true;
  }
}

}  // namespace

Http2FieldKind KindOfHttp2Name(std::string_view name) {
  if (name.empty()) return Http2FieldKind::kMalformed;
  if (name.front() == ':') return KindOfPseudoName(name);
  if (!kNameBytes.HasAll(name)) return Http2FieldKind::kMalformed;
  if (name == "content-length") return Http2FieldKind::kContentLength;
  if (name == "te") return Http2FieldKind::kTe;
  if (name == "host") return Http2FieldKind::kHost;
  const bool is_of_connection = std::ranges::find(kOfConnections, name) != kOfConnections.end();
  return is_of_connection ? Http2FieldKind::kMalformed : Http2FieldKind::kOther;
}

Http2FieldKind KindOfHttp2Field(Http2FieldKind name, std::string_view value) {
  return IsValue(value) && IsValueFor(name, value) ? name : Http2FieldKind::kMalformed;
}

void Http2HeadCheck::Add(Http2FieldKind kind, std::string_view value) {
  switch (kind) {
    case Http2FieldKind::kMethod:
    case Http2FieldKind::kScheme:
    case Http2FieldKind::kPath:
    case Http2FieldKind::kAuthority:
      is_malformed_ = is_malformed_ || has_other_ || Has(kind);
      seen_ |= 1U << static_cast<unsigned>(kind);
      if (kind == Http2FieldKind::kMethod) is_connect_ = value == "CONNECT";
      return;
    case Http2FieldKind::kContentLength: {
      std::uint64_t length = 0;
      const char* const end = value.data() + value.size();
      const auto [stop, error] = std::from_chars(value.data(), end, length);
      is_malformed_ = is_malformed_ || content_length_ || error != std::errc() || stop != end;
      content_length_ = length;
      has_other_ = true;
      return;
    }
    case Http2FieldKind::kHost:
      is_malformed_ = is_malformed_ || has_host_;
      has_host_ = true;
      has_other_ = true;
      return;
    case Http2FieldKind::kTe:
    case Http2FieldKind::kOther:
      has_other_ = true;
      return;
    case Http2FieldKind::kMalformed:
      is_malformed_ = true;
      return;
  }
}

bool Http2HeadCheck::IsRequest() const {
  if (is_malformed_ || !Has(Http2FieldKind::kMethod)) return false;
  const bool has_target = Has(Http2FieldKind::kScheme) && Has(Http2FieldKind::kPath);
  if (!is_connect_) return has_target && (has_host_ || Has(Http2FieldKind::kAuthority));
  return !Has(Http2FieldKind::kScheme) && !Has(Http2FieldKind::kPath) &&
         Has(Http2FieldKind::kAuthority);
}

}  // namespace sluice
