#include "simulate/compare.h"

#include <array>
#include <charconv>
#include <string_view>
#include <vector>

#include "base/duration.h"
#include "console/duration_text.h"
#include "console/json_text.h"
#include "console/table.h"

namespace sluice::cli {
namespace {

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

std::vector<std::string> RowOf(const ComparedLimit& limit) {
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

std::string CompareTable(std::span<const ComparedLimit> limits, ColorMode ink) {
  using enum Table::Align;
  // The limit is text and aligned left; all other columns are numbers.
  Table table({{"limit", kLeft},
               {"allowed", kRight},
               {"refused", kRight},
               {"share allowed", kRight},
               {"first refusal at", kRight},
               {"longest run allowed", kRight},
               {"total wait", kRight},
               {"most units in a period", kRight}});
  for (const ComparedLimit& limit : limits) table.Add(RowOf(limit));
  return table.ToText(ink);
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
