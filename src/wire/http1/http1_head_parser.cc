#include "wire/http1/http1_head_parser.h"

#include <algorithm>
#include <bit>
#include <cstring>

#include "base/ascii.h"

namespace sluice {
namespace {

constexpr std::size_t kMaxMethodBytes = 32;
constexpr std::size_t kMaxContentLengthDigits = 18;  // always fit 64 bits

// Visible characters, spaces and tabs, and the bytes that RFC 9110 calls obs-text.
constexpr ByteSet kValueBytes = ByteSet("\t").WithRange(' ', '~').WithRange(0x80, 0xFF);
// "reg-name" of RFC 3986, and the characters between the brackets of an IPv6 address.
constexpr ByteSet kHostBytes =
    ByteSet("-._~!$&'()*+,;=%").WithRange('0', '9').WithRange('A', 'Z').WithRange('a', 'z');
constexpr ByteSet kIpLiteralBytes =
    ByteSet(".:").WithRange('0', '9').WithRange('A', 'F').WithRange('a', 'f');

// Returns the first byte that is not in the set, or the end. Works on copies of the pointers
// because those stay in registers; members would not.
const char* Skip(const ByteSet& set, const char* at, const char* end) {
  while (at != end && set.Has(*at)) ++at;
  return at;
}

// Returns the first byte that is not allowed in a value, or the end. Scans eight bytes at a time
// for bytes below 0x20 and 0x7F; the first match is exact. A tab is a match, but is allowed and
// skipped.
const char* SkipValueBytes(const char* at, const char* end) {
  constexpr std::uint64_t kOnes = 0x0101010101010101U;
  constexpr std::uint64_t kHighBits = 0x80 * kOnes;
  while (end - at >= 8) {
    std::uint64_t bytes = 0;
    std::memcpy(&bytes, at, sizeof(bytes));
    const std::uint64_t below_space = (bytes - 0x20 * kOnes) & ~bytes;
    const std::uint64_t deleted = bytes ^ 0x7F * kOnes;
    const std::uint64_t found = (below_space | ((deleted - kOnes) & ~deleted)) & kHighBits;
    if (found == 0) {
      at += 8;
      continue;
    }
    if constexpr (std::endian::native == std::endian::little) at += std::countr_zero(found) / 8;
    if (!kValueBytes.Has(*at)) return at;
    ++at;
  }
  return Skip(kValueBytes, at, end);
}

// Accepts a name or address with an optional port. IPv6 addresses are in brackets.
bool IsHost(std::string_view text) {
  if (text.starts_with('[')) {
    const std::size_t close = text.find(']');
    if (close == std::string_view::npos || close == 1) return false;
    if (!kIpLiteralBytes.HasAll(text.substr(1, close - 1))) return false;
    text.remove_prefix(close + 1);
  } else {
    const std::size_t size = std::min(text.find(':'), text.size());
    if (!kHostBytes.HasAll(text.substr(0, size))) return false;
    text.remove_prefix(size);
  }
  if (text.empty()) return true;
  if (text.front() != ':') return false;
  text.remove_prefix(1);
  return text.empty() || IsDigits(text);
}

}  // namespace

ReadState Http1HeadParser::Parse() {
  head_->fields.clear();
  head_->host = "";
  head_->content_length.reset();
  head_->is_chunked = false;
  head_->expects_continue = false;
  ReadState state = ParseRequestLine();
  if (state != ReadState::kWhole) return state;
  is_after_request_line_ = true;
  while (at_ != end_ && *at_ != '\r') {
    state = ParseField();
    if (state != ReadState::kWhole) return state;
  }
  state = ParseLineEnd();
  if (state != ReadState::kWhole) return state;
  return ValidateWhole() ? ReadState::kWhole : ReadState::kFault;
}

HttpFault Http1HeadParser::TooLong() const {
  if (is_after_request_line_) return {431, "the header fields are too long"};
  return {414, "the request line is too long"};
}

// --- the request line -----------------------------------------------------------------------

ReadState Http1HeadParser::ParseRequestLine() {
  ReadState state = ParseMethod();
  if (state == ReadState::kWhole) state = ParseTarget();
  if (state == ReadState::kWhole) state = ParseVersion();
  if (state == ReadState::kWhole) state = ParseLineEnd();
  return state;
}

ReadState Http1HeadParser::ParseMethod() {
  const char* const first = at_;
  at_ = Skip(kTokenBytes, at_, end_);
  head_->method = {first, at_};
  // Not 501, here and below: a proxy that asks before it forwards a request (Envoy's ext_authz)
  // treats 5xx as a failure of this service and may let the request pass.
  if (head_->method.size() > kMaxMethodBytes) return Fault(400, "the method is too long");
  if (at_ == end_) return ReadState::kMore;
  if (head_->method.empty() || *at_ != ' ') return Fault(400, "the request line is malformed");
  ++at_;
  return ReadState::kWhole;
}

ReadState Http1HeadParser::ParseTarget() {
  const char* const first = at_;
  at_ = Skip(kTargetBytes, at_, end_);
  head_->target = {first, at_};
  if (head_->target.size() > bounds_->max_target_bytes) {
    return Fault(414, "the target is too long");
  }
  if (at_ == end_) return ReadState::kMore;
  if (head_->target.empty()) return Fault(400, "the request line is malformed");
  if (*at_ == '\r' || *at_ == '\n') return Fault(400, "the request line has no version");
  if (*at_ != ' ') return Fault(400, "the target has a character that no target has");
  ++at_;
  return ValidateTarget() ? ReadState::kWhole : ReadState::kFault;
}

bool Http1HeadParser::ValidateTarget() {
  const std::string_view target = head_->target;
  is_absolute_ = false;
  if (head_->method == "CONNECT") return Refuse(400, "this is no proxy");
  if (target.front() == '/') return true;
  if (target == "*") {
    return head_->method == "OPTIONS" || Refuse(400, "the target * is for OPTIONS alone");
  }
  constexpr std::string_view kPlain = "http://";
  constexpr std::string_view kSecure = "https://";
  if (EqualsLower(target.substr(0, kPlain.size()), kPlain)) {
    return ValidateAbsoluteTarget(target.substr(kPlain.size()));
  }
  if (EqualsLower(target.substr(0, kSecure.size()), kSecure)) {
    return ValidateAbsoluteTarget(target.substr(kSecure.size()));
  }
  return Refuse(400, "the target is malformed");
}

bool Http1HeadParser::ValidateAbsoluteTarget(std::string_view after_scheme) {
  const std::size_t size = std::min(after_scheme.find_first_of("/?"), after_scheme.size());
  head_->host = after_scheme.substr(0, size);
  head_->target = after_scheme.substr(size);
  is_absolute_ = true;
  return (size > 0 && IsHost(head_->host)) || Refuse(400, "the host of the target is malformed");
}

ReadState Http1HeadParser::ParseVersion() {
  constexpr std::string_view kName = "HTTP/";
  constexpr std::size_t kSize = kName.size() + 3;
  const std::string_view version(at_, std::min(kSize, static_cast<std::size_t>(end_ - at_)));
  const std::string_view name = version.substr(0, kName.size());
  if (name != kName.substr(0, name.size())) return Fault(400, "the version is malformed");
  if (version.size() < kSize) {
    // A line end inside the version is malformed already, so do not wait for more bytes.
    if (!kTargetBytes.HasAll(version)) return Fault(400, "the version is malformed");
    return ReadState::kMore;
  }
  if (!IsDigit(version[5]) || version[6] != '.' || !IsDigit(version[7])) {
    return Fault(400, "the version is malformed");
  }
  if (version[5] != '1' || version[7] > '1') {
    return Fault(505, "the version is not HTTP/1.1 or 1.0");
  }
  head_->version = version[7] == '1' ? Http1Version::k11 : Http1Version::k10;
  head_->keeps_alive = head_->version == Http1Version::k11;
  at_ += kSize;
  return ReadState::kWhole;
}

ReadState Http1HeadParser::ParseLineEnd() {
  if (at_ == end_) return ReadState::kMore;
  if (*at_ == '\n') return Fault(400, "a line ends without CR");
  if (*at_ != '\r') return Fault(400, "a line holds a character that no line holds");
  if (at_ + 1 == end_) return ReadState::kMore;
  if (at_[1] != '\n') return Fault(400, "a CR without LF");
  at_ += 2;
  return ReadState::kWhole;
}

// --- the fields -----------------------------------------------------------------------------

ReadState Http1HeadParser::ParseField() {
  Header field;
  ReadState state = ParseName(field);
  if (state == ReadState::kWhole) state = ParseValue(field);
  if (state == ReadState::kWhole) state = ParseLineEnd();
  if (state != ReadState::kWhole) return state;
  if (head_->fields.size() == bounds_->max_fields) return Fault(431, "too many header fields");
  head_->fields.push_back(field);
  return ValidateField(field) ? ReadState::kWhole : ReadState::kFault;
}

ReadState Http1HeadParser::ParseName(Header& field) {
  const char* const first = at_;
  at_ = Skip(kTokenBytes, at_, end_);
  if (at_ == end_) return ReadState::kMore;
  field.name = {first, at_};
  if (*at_ != ':' || field.name.empty()) {
    if (!IsBlank(*at_)) return Fault(400, "the name of a field is malformed");
    return Fault(400, field.name.empty() ? "a folded line" : "a blank before the colon of a field");
  }
  ++at_;
  return ReadState::kWhole;
}

ReadState Http1HeadParser::ParseValue(Header& field) {
  while (at_ != end_ && IsBlank(*at_)) ++at_;
  const char* const first = at_;
  at_ = SkipValueBytes(at_, end_);
  if (at_ == end_) return ReadState::kMore;
  const char* last = at_;
  while (last != first && IsBlank(last[-1])) --last;
  field.value = {first, last};
  return ReadState::kWhole;
}

bool Http1HeadParser::ValidateField(const Header& field) {
  // Switch on the size first, because most fields are none of these.
  switch (field.name.size()) {
    case 4:
      return !EqualsLower(field.name, "host") || ValidateHost(field.value);
    case 6:
      if (EqualsLower(field.name, "expect") && EqualsLower(field.value, "100-continue")) {
        head_->expects_continue = head_->version == Http1Version::k11;
      }
      return true;
    case 10:
      if (EqualsLower(field.name, "connection")) NoteConnection(field.value);
      return true;
    case 14:
      return !EqualsLower(field.name, "content-length") || ValidateContentLength(field.value);
    case 17:
      return !EqualsLower(field.name, "transfer-encoding") || ValidateTransferEncoding(field.value);
    default:
      return true;
  }
}

bool Http1HeadParser::ValidateContentLength(std::string_view value) {
  if (head_->content_length) return Refuse(400, "Content-Length is there twice");
  if (!IsDigits(value)) return Refuse(400, "Content-Length is not a number");
  std::string_view digits = value;
  while (digits.size() > 1 && digits.front() == '0') digits.remove_prefix(1);
  std::uint64_t length = 0;
  if (digits.size() <= kMaxContentLengthDigits) {
    for (const char c : digits) length = length * 10 + static_cast<std::uint64_t>(c - '0');
  }
  if (digits.size() > kMaxContentLengthDigits || length > bounds_->max_content_bytes) {
    return Refuse(413, "the content is too long");
  }
  head_->content_length = length;
  return true;
}

bool Http1HeadParser::ValidateTransferEncoding(std::string_view value) {
  if (head_->version == Http1Version::k10) {
    return Refuse(400, "HTTP/1.0 has no Transfer-Encoding");
  }
  if (head_->is_chunked) return Refuse(400, "Transfer-Encoding is there twice");
  if (!EqualsLower(value, "chunked")) return Refuse(400, "Transfer-Encoding is not chunked");
  head_->is_chunked = true;
  return true;
}

bool Http1HeadParser::ValidateHost(std::string_view value) {
  if (has_host_) return Refuse(400, "Host is there twice");
  if (!IsHost(value)) return Refuse(400, "Host is malformed");
  has_host_ = true;
  if (!is_absolute_) head_->host = value;
  return true;
}

void Http1HeadParser::NoteConnection(std::string_view value) {
  while (!value.empty()) {
    const std::string_view option = TrimBlanks(TakeUntil(',', value));
    // "close" wins, whatever the order of the options.
    if (EqualsLower(option, "close")) asks_to_close_ = true;
    if (EqualsLower(option, "keep-alive")) head_->keeps_alive = true;
  }
}

bool Http1HeadParser::ValidateWhole() {
  if (asks_to_close_) head_->keeps_alive = false;
  if (head_->is_chunked && head_->content_length) {
    return Refuse(400, "both Content-Length and Transfer-Encoding");
  }
  if (!has_host_ && head_->version == Http1Version::k11) return Refuse(400, "Host is missing");
  return true;
}

ReadState Http1HeadParser::Fault(int status, std::string_view text) {
  fault_ = {status, text};
  return ReadState::kFault;
}

bool Http1HeadParser::Refuse(int status, std::string_view text) {
  Fault(status, text);
  return false;
}

}  // namespace sluice
