// ProtoFault: describes what is wrong with a received message, and in which field.
#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>

#include "base/utf8.h"
#include "wire/grpc/grpc_status.h"
#include "wire/grpc/proto_reader.h"

namespace sluice {

// Builds the description of one error while readers of nested messages return: the innermost reader
// sets the problem, and each enclosing reader prepends its field name, as in
// `descriptors[2].entries[0].key: must not be empty`. Every method that changes it returns false,
// so that a reader can `return fault.Set(...)`.
//
// Thread safety: a value.
class ProtoFault {
 public:
  // Sets the problem of a field.
  bool Set(std::string_view field, std::string_view what) {
    text_.assign(field).append(": ").append(what);
    return false;
  }
  // Sets a problem of the enclosing message as a whole.
  bool SetMalformed(std::string_view what) {
    text_.assign(": ").append(what);
    return false;
  }
  // Prepends the field that contains the error.
  bool Within(std::string_view field) { return Prepend(std::string(field)); }
  // Prepends the field and the index of the element that contains the error.
  bool Within(std::string_view field, std::size_t index) {
    return Prepend(std::string(field).append("[").append(std::to_string(index)).append("]"));
  }

  // Returns the error as the status of the call.
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

// Reads a text field. Returns false if it is not UTF-8. If the bytes end too early, this returns
// true and reader.failed() reports it.
inline bool ReadText(ProtoReader& reader, std::string_view& text) {
  text = reader.Bytes();
  return IsUtf8(text);
}

// Skips an unknown field. `known` names the fields from number 1 on; if the current field is one of
// them, it got here because its wire type is wrong, which is an error.
inline bool SkipUnknown(ProtoReader& reader, std::initializer_list<std::string_view> known,
                        ProtoFault& fault) {
  const std::uint32_t field = reader.field();
  if (field != 0 && field <= known.size()) return fault.Set(known.begin()[field - 1], kWrongType);
  reader.Skip();
  return true;
}

}  // namespace sluice
