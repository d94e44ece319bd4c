#include "admin/metrics_text.h"

#include <array>
#include <cassert>

#include "base/text.h"

namespace sluice {
namespace {

void AppendEscaped(std::string_view text, std::string& out) {
  for (const char c : text) {
    if (c == '\\' || c == '"') out += '\\';
    if (c == '\n') {
      out += "\\n";
    } else {
      out += c;
    }
  }
}

// Formats nanoseconds as seconds: "12", "0.00005".
std::string SecondsText(std::uint64_t nanos) {
  constexpr std::uint64_t kSecond = 1'000'000'000;
  std::string text = std::to_string(nanos / kSecond);
  const std::uint64_t rest = nanos % kSecond;
  if (rest == 0) return text;
  // Adding a second puts a 1 in front, which keeps the leading zeros of the fraction.
  std::string digits = std::to_string(kSecond + rest).substr(1);
  digits.erase(digits.find_last_not_of('0') + 1);
  return Concat(text, ".", digits);
}

std::string SecondsText(Nanos length) {
  const std::int64_t nanos = length.count();
  return nanos < 0 ? Concat("-", SecondsText(std::uint64_t{0} - static_cast<std::uint64_t>(nanos)))
                   : SecondsText(static_cast<std::uint64_t>(nanos));
}

}  // namespace

void MetricsText::Begin(std::string_view name, MetricKind kind, std::string_view help) {
  constexpr std::array<std::string_view, 3> kKinds = {"counter", "gauge", "histogram"};
  name_ = name;
  out_ += Concat("# HELP ", name, " ", help, "\n# TYPE ", name, " ",
                 kKinds[static_cast<std::size_t>(kind)], "\n");
}

void MetricsText::Line(std::string_view suffix, Labels labels, std::string_view value) {
  out_.append(name_).append(suffix);
  char before = '{';
  for (const auto& [label, text] : labels) {
    out_ += before;
    out_.append(label).append("=\"");
    AppendEscaped(text, out_);
    out_ += '"';
    before = ',';
  }
  if (before == ',') out_ += '}';
  out_.append(" ").append(value).append("\n");
}

void MetricsText::Sample(Labels labels, Nanos length) { Line("", labels, SecondsText(length)); }

void MetricsText::Histogram(const Label& label, const TimesTaken& times) {
  assert(times.counts.size() == times.bounds.size() + 1);
  std::uint64_t below = 0;
  for (std::size_t i = 0; i < times.bounds.size(); ++i) {
    below += times.counts[i];
    Line("_bucket", {label, {"le", SecondsText(times.bounds[i])}}, std::to_string(below));
  }
  const std::string all = std::to_string(below + times.counts.back());
  Line("_bucket", {label, {"le", "+Inf"}}, all);
  Line("_sum", {label}, SecondsText(times.nanos));
  Line("_count", {label}, all);
}

}  // namespace sluice
