// google.protobuf.Struct: a JSON object as protobuf.
#pragma once

#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace sluice {

// A JSON value to write; null by default. Thread safety: a value. Ownership: views its texts, which
// must be UTF-8.
class StructValue {
 public:
  struct Member;
  using Object = std::vector<Member>;  // names are unique
  using List = std::vector<StructValue>;
  using Held = std::variant<std::monostate, double, std::string_view, bool, Object, List>;

  StructValue();
  explicit StructValue(Held held);

  [[nodiscard]] const Held& held() const { return held_; }

 private:
  Held held_;
};

struct StructValue::Member {
  std::string_view name;
  StructValue value;
};

// Appends the object as a Struct. Call this when rules are loaded, not per request: each nested
// message of 128 bytes or more is moved when it ends.
void AppendStruct(const StructValue::Object& object, std::string& out);

}  // namespace sluice
