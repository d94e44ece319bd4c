// QueryReader: the parameters of a query.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace sluice {

// A name and its value as they were sent; DecodeQuery makes of them what was meant. Without an
// equals sign the value is empty.
struct QueryParameter {
  std::string_view name;
  std::string_view value;

  friend bool operator==(const QueryParameter&, const QueryParameter&) = default;
};

// What stands between two parameters.
enum class QuerySeparator : std::uint8_t {
  kAmpersand,
  kAmpersandOrSemicolon,  // HTML 4 recommended it, and some applications read both
};

// Reads the parameters of "a=1&b=2" in order. Nothing between two separators is no parameter.
//
// Thread safety: none. Views the query.
class QueryReader {
 public:
  explicit QueryReader(std::string_view query,
                       QuerySeparator separator = QuerySeparator::kAmpersand)
      : rest_(query), separators_(separator == QuerySeparator::kAmpersand ? "&" : "&;") {}

  // None at the end.
  std::optional<QueryParameter> Next();

 private:
  std::string_view rest_;
  std::string_view separators_;
};

// The text with its escapes and pluses decoded; as it is where it has none, otherwise a view of
// `scratch`, whose old text is lost. None where an escape is malformed.
std::optional<std::string_view> DecodeQuery(std::string_view text, std::string& scratch);

// The name under which PHP knows a parameter or a cookie, whose name is decoded already: it ends at
// a NUL and at a '[' (what follows names a part of it), blanks before it are dropped, and dots and
// blanks within it are '_'. Views the name, or `scratch` where the name has to be written anew.
std::string_view PhpName(std::string_view name, std::string& scratch);

}  // namespace sluice
