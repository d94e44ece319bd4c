// ProtoFault: what is wrong with a message from outside, and in which of its fields.
#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>

#include "core/utf8.h"
#include "wire/grpc_status.h"
#include "wire/proto_reader.h"

namespace sluice {

// Gathers one fault on the way out of nested messages: the innermost says what is wrong, and each
// around it puts its own name in front. `descriptors[2].entries[0].key: must not be empty`. All of
// it returns false, so that a reader can leave with it.
//
// Thread safety: a value.
class ProtoFault {
 public:
  // The field is not as it must be.
  bool Set(std::string_view field, std::string_view what) {
    text_.assign(field).append(": ").append(what);
    return false;
  }
  // The bytes of the message around are no message.
  bool SetMalformed(std::string_view what) {
    text_.assign(": ").append(what);
    return false;
  }
  // The fault is in this field,
  bool Within(std::string_view field) { return Prepend(std::string(field)); }
  // or in this element of it.
  bool Within(std::string_view field, std::size_t index) {
    return Prepend(std::string(field).append("[").append(std::to_string(index)).append("]"));
  }

  // As the answer to the call.
  [[nodiscard]] GrpcFault ToGrpc() const {
    const bool whole = text_.starts_with(':');
    return {GrpcStatus::kInvalidArgument, whole ? "the message" + text_.substr(1) : text_};
  }

 private:
  bool Prepend(std::string name) {
    if (!text_.starts_with(':')) name += '.';
    text_.insert(0, name);
    return false;
  }

  std::string text_;
};

inline constexpr std::string_view kNotUtf8 = "is not UTF-8";
inline constexpr std::string_view kWrongType = "is of another type";
inline constexpr std::string_view kNotEmpty = "must not be empty";
inline constexpr std::string_view kOneTooMany = "is one too many";

// Reads a text, which must be UTF-8. False where it is not; bytes that end too early are for the
// reader to tell.
inline bool ReadText(ProtoReader& reader, std::string_view& text) {
  text = reader.Bytes();
  return IsUtf8(text);
}

// Skips a field that is not known. `known` are the fields from number 1 on: one of those is here
// because its type is not the one it must have, and that is a fault.
inline bool SkipUnknown(ProtoReader& reader, std::initializer_list<std::string_view> known,
                        ProtoFault& fault) {
  const std::uint32_t field = reader.field();
  if (field != 0 && field <= known.size()) return fault.Set(known.begin()[field - 1], kWrongType);
  reader.Skip();
  return true;
}

}  // namespace sluice
