#include "config/settings/size.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <limits>
#include <string>
#include <utility>
#include <vector>

namespace sluice {
namespace {

std::string ErrorOf(const std::string& text) {
  const Result<Bytes> size = ParseSize(text);
  return size.ok() ? "read as " + std::to_string(size.value().count) : size.error().message;
}

TEST(SizeTest, ParsesAndFormatsEveryUnit) {
  const std::vector<std::pair<std::string, std::int64_t>> cases = {
      {"0B", 0},
      {"1B", 1},
      {"1023B", 1023},
      {"1KiB", 1024},
      {"16MiB", std::int64_t{16} << 20U},
      {"1GiB", std::int64_t{1} << 30U},
      {"16TiB", std::int64_t{16} << 40U},
      {"9223372036854775807B", std::numeric_limits<std::int64_t>::max()},
  };
  for (const auto& [text, count] : cases) {
    const Result<Bytes> size = ParseSize(text);
    ASSERT_TRUE(size.ok()) << text << ": " << size.error().message;
    EXPECT_EQ(size.value().count, count) << text;
    EXPECT_EQ(FormatSize({count}), text);
  }
}

TEST(SizeTest, ParsesDecimalsExactlyAndFormatsInLargestWholeUnit) {
  EXPECT_EQ(FormatSize(ParseSize("1.5GiB").value()), "1536MiB");
  EXPECT_EQ(FormatSize(ParseSize("0.5KiB").value()), "512B");
  EXPECT_EQ(FormatSize(ParseSize("8388607.5TiB").value()), "8589934080GiB");
}

TEST(SizeTest, RejectsMalformedSizes) {
  const std::vector<std::pair<std::string, std::string>> cases = {
      {"", "'' is no size; expected a number and a unit such as 16KiB"},
      {"KiB", "'KiB' is no size; expected a number and a unit such as 16KiB"},
      {"-1KiB", "'-1KiB' is no size; expected a number and a unit such as 16KiB"},
      {"16", "'16' needs a unit: B, KiB, MiB, GiB or TiB"},
      {"1GB", "unknown unit 'GB' in '1GB'; did you mean 'GiB'?"},
      {"1gib", "unknown unit 'gib' in '1gib'; expected B, KiB, MiB, GiB or TiB"},
      {"1 KiB", "unknown unit ' KiB' in '1 KiB'; did you mean 'KiB'?"},
      {"1.KiB", "'1.' in '1.KiB' is no number; expected one such as 10 or 1.5"},
      {"01KiB", "'01' in '01KiB' is no number; expected one such as 10 or 1.5"},
      {"1.5B", "'1.5B' is no whole number of bytes"},
      {"0.0001KiB", "'0.0001KiB' is no whole number of bytes"},
      {"1.0000000000000000001KiB", "'1.0000000000000000001KiB' is no whole number of bytes"},
      {"8388608TiB", "'8388608TiB' is above the largest size, 8388607TiB"},
      {"9223372036854775808B", "'9223372036854775808B' is above the largest size, 8388607TiB"},
      {"9223372036854775807TiB", "'9223372036854775807TiB' is above the largest size, 8388607TiB"},
  };
  for (const auto& [text, expected] : cases) EXPECT_EQ(ErrorOf(text), expected) << text;
}

}  // namespace
}  // namespace sluice
