// Http1HeadParser: parses an HTTP/1 head in one pass.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "wire/http1/http1_head.h"

namespace sluice {

// Parses one head from the front of a text. Http1HeadReader documents what is refused.
//
// Thread safety: none. Refers to the text, the bounds and the head it fills.
class Http1HeadParser {
 public:
  Http1HeadParser(std::string_view text, const Http1Bounds& bounds, Http1Head& head)
      : at_(text.data()),
        begin_(text.data()),
        end_(text.data() + text.size()),
        bounds_(&bounds),
        head_(&head) {}

  // Returns kMore if the text ends before the head does and no error was found so far.
  ReadState Parse();

  // The size of the head. Valid after kWhole.
  [[nodiscard]] std::size_t consumed() const { return static_cast<std::size_t>(at_ - begin_); }
  // The error. Valid after kFault.
  [[nodiscard]] HttpFault fault() const { return fault_; }
  // The error to report after kMore if no more bytes are allowed.
  [[nodiscard]] HttpFault TooLong() const;

 private:
  // Each parses one element and the delimiter after it.
  ReadState ParseRequestLine();
  ReadState ParseMethod();
  ReadState ParseTarget();
  ReadState ParseVersion();
  ReadState ParseField();
  ReadState ParseName(Header& field);
  ReadState ParseValue(Header& field);
  ReadState ParseLineEnd();

  // Each returns false and sets the fault if the element is invalid.
  bool ValidateTarget();
  bool ValidateAbsoluteTarget(std::string_view after_scheme);
  bool ValidateField(const Header& field);
  bool ValidateContentLength(std::string_view value);
  bool ValidateTransferEncoding(std::string_view value);
  bool ValidateHost(std::string_view value);
  void NoteConnection(std::string_view value);
  bool ValidateWhole();

  ReadState Fault(int status, std::string_view text);
  bool Refuse(int status, std::string_view text);

  const char* at_;
  const char* begin_;
  const char* end_;
  const Http1Bounds* bounds_;
  Http1Head* head_;
  HttpFault fault_;
  bool is_after_request_line_ = false;
  bool has_host_ = false;
  bool is_absolute_ = false;
  bool asks_to_close_ = false;
};

}  // namespace sluice
