// QueryReader: reads the parameters of a query.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace sluice {

// A name and its value as they were sent; DecodeQuery decodes them. Without an equals sign the
// value is empty.
struct QueryParameter {
  std::string_view name;
  std::string_view value;

  friend bool operator==(const QueryParameter&, const QueryParameter&) = default;
};

// The characters that separate parameters.
enum class QuerySeparator : std::uint8_t {
  kAmpersand,
  kAmpersandOrSemicolon,  // HTML 4 recommended it, and some applications read both
};

// Reads the parameters of "a=1&b=2" in order. Empty parameters are skipped.
//
// Thread safety: none. Views the query.
class QueryReader {
 public:
  explicit QueryReader(std::string_view query,
                       QuerySeparator separator = QuerySeparator::kAmpersand)
      : rest_(query), separators_(separator == QuerySeparator::kAmpersand ? "&" : "&;") {}

  // Returns the next parameter, or nullopt at the end.
  std::optional<QueryParameter> Next();

 private:
  std::string_view rest_;
  std::string_view separators_;
};

// Returns the text with escapes and pluses decoded: the text itself if it has none, otherwise a
// view of `scratch`, whose contents are replaced. Returns nullopt if an escape is malformed.
std::optional<std::string_view> DecodeQuery(std::string_view text, std::string& scratch);

// Returns the name that PHP gives to a parameter or cookie. `name` is already decoded. PHP ends the
// name at a NUL and at a '[' (which begins an array index), drops leading blanks, and replaces dots
// and other blanks by '_'. Returns a view of `name`, or of `scratch` if the name changes.
std::string_view PhpName(std::string_view name, std::string& scratch);

}  // namespace sluice
