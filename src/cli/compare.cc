#include "cli/compare.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstddef>
#include <string_view>
#include <vector>

#include "cli/duration_text.h"
#include "cli/json_text.h"
#include "core/duration.h"

namespace sluice::cli {
namespace {

using Row = std::vector<std::string>;

constexpr std::string_view kNothing = "-";

std::string Fixed(double number, int decimals) {
  std::array<char, 32> digits{};
  const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), number,
                                 std::chars_format::fixed, decimals)
                       .ptr;
  return {digits.data(), end};
}

std::string ShareText(const Tally& tally) {
  if (tally.allowed() + tally.refused() == 0) return std::string(kNothing);
  return Fixed(tally.share_allowed() * 100, 1) + "%";
}

std::string BusiestText(const Tally& tally) {
  if (!tally.period()) return std::string(kNothing);
  return std::to_string(*tally.period_units_max()) + " in " + FormatDuration(*tally.period());
}

Row RowOf(const ComparedLimit& limit) {
  const Tally& tally = limit.tally;
  const auto first = tally.first_refusal();
  return {limit.title,
          std::to_string(tally.allowed()),
          std::to_string(tally.refused()),
          ShareText(tally),
          first ? DurationText(first->time_since_epoch()) : std::string(kNothing),
          std::to_string(tally.allowed_run_max()),
          DurationText(tally.wait_total()),
          BusiestText(tally)};
}

std::string JsonOrNull(bool known, std::int64_t number) {
  return known ? std::to_string(number) : "null";
}

}  // namespace

std::string CompareTable(std::span<const ComparedLimit> limits) {
  std::vector<Row> rows = {{"limit", "allowed", "refused", "share allowed", "first refusal at",
                            "longest run allowed", "total wait", "most units in a period"}};
  for (const ComparedLimit& limit : limits) rows.push_back(RowOf(limit));

  std::vector<std::size_t> widths(rows.front().size());
  for (const Row& row : rows) {
    for (std::size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], row[i].size());
  }

  std::string text;
  for (const Row& row : rows) {
    // The limit reads from the left; the rest are numbers and line up on the right.
    text += row[0] + std::string(widths[0] - row[0].size(), ' ');
    for (std::size_t i = 1; i < row.size(); ++i) {
      text += std::string(2 + widths[i] - row[i].size(), ' ') + row[i];
    }
    text += '\n';
  }
  return text;
}

std::string CompareJson(std::span<const ComparedLimit> limits) {
  std::string text = "{\"limits\":[";
  for (const ComparedLimit& limit : limits) {
    const Tally& tally = limit.tally;
    const auto first = tally.first_refusal();
    const auto period = tally.period();
    if (text.back() == '}') text += ',';
    text += "{\"limit\":" + JsonString(limit.text);
    text += ",\"allowed\":" + std::to_string(tally.allowed());
    text += ",\"refused\":" + std::to_string(tally.refused());
    text += ",\"share_allowed\":" + Fixed(tally.share_allowed(), 6);
    text += ",\"first_refusal_at\":" +
            JsonOrNull(first.has_value(), first ? first->time_since_epoch().count() : 0);
    text += ",\"longest_run_allowed\":" + std::to_string(tally.allowed_run_max());
    text += ",\"total_wait\":" + std::to_string(tally.wait_total().count());
    text += ",\"period\":" + JsonOrNull(period.has_value(), period.value_or(Nanos(0)).count());
    text += ",\"most_units_in_period\":" +
            JsonOrNull(period.has_value(), tally.period_units_max().value_or(0)) + "}";
  }
  return text + "]}\n";
}

}  // namespace sluice::cli
