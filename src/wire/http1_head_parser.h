// Http1HeadParser: one pass over the bytes of a head of HTTP/1.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "wire/http1_head.h"

namespace sluice {

// Parses one head from the front of a text; see Http1HeadReader for what it refuses.
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

  // kMore where the text ends before the head does and nothing was wrong so far.
  ReadState Parse();

  // After kWhole.
  [[nodiscard]] std::size_t consumed() const { return static_cast<std::size_t>(at_ - begin_); }
  // After kFault.
  [[nodiscard]] HttpFault fault() const { return fault_; }
  // After kMore: what to say if no more bytes are allowed.
  [[nodiscard]] HttpFault TooLong() const;

 private:
  // Each parses a piece and what ends it.
  ReadState ParseRequestLine();
  ReadState ParseMethod();
  ReadState ParseTarget();
  ReadState ParseVersion();
  ReadState ParseField();
  ReadState ParseName(Header& field);
  ReadState ParseValue(Header& field);
  ReadState ParseLineEnd();

  // Each judges a piece; false where it is at fault.
  bool JudgeTarget();
  bool JudgeAbsoluteTarget(std::string_view after_scheme);
  bool JudgeField(const Header& field);
  bool JudgeContentLength(std::string_view value);
  bool JudgeTransferEncoding(std::string_view value);
  bool JudgeHost(std::string_view value);
  void NoteConnection(std::string_view value);
  bool JudgeWhole();

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
