#include "cli/bench/bench_report.h"

#include <array>
#include <cmath>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "base/text.h"
#include "console/duration_text.h"
#include "console/json_text.h"
#include "console/table.h"
#include "net/loop/endpoint.h"

namespace sluice::cli {
namespace {

// The processor share per thread above which the load generator itself is the bottleneck.
constexpr double kBusyShare = 0.9;

struct Quantile {
  std::string_view name;
  Portion share;
};
constexpr std::array kQuantiles = {Quantile{"p50", {500'000}}, Quantile{"p90", {900'000}},
                                   Quantile{"p99", {990'000}}, Quantile{"p99.9", {999'000}},
                                   Quantile{"p99.99", {999'900}}};

// Formats a number rounded to `places` decimals.
std::string DecimalText(double value, int places) {
  double scale = 1;
  for (int i = 0; i < places; ++i) scale *= 10;
  const auto scaled = static_cast<std::uint64_t>(std::llround(value * scale));
  const auto unit = static_cast<std::uint64_t>(scale);
  const std::string decimals = std::to_string(unit + scaled % unit).substr(1);
  return Concat(scaled / unit, places > 0 ? "." : "", decimals);
}

std::string LatencyText(std::uint64_t nanos) {
  return DurationText(Nanos{static_cast<std::int64_t>(nanos)});
}

std::uint64_t Mean(const Histogram& latencies) {
  return static_cast<std::uint64_t>(std::llround(latencies.mean()));
}

std::string FoundText(const Expectation& expectation, const LoadReport& report) {
  const std::optional<double> found = expectation.Found(report);
  if (!found) return "no answers";
  const auto whole = static_cast<std::uint64_t>(std::llround(*found));
  return expectation.is_latency() ? LatencyText(whole) : std::to_string(whole);
}

std::string SecondsText(Nanos length) {
  return DecimalText(static_cast<double>(length.count()) / 1e9, 3);
}

std::string Headline(const BenchArguments& arguments) {
  const LoadAmount& amount = arguments.amount;
  const std::string loop =
      amount.rate > 0 ? Concat("open loop at ", amount.rate, "/s") : "closed loop";
  const std::string length =
      amount.requests > 0 ? Concat(amount.requests, " requests") : DurationText(amount.duration);
  return Concat(Describe(arguments.server), ", ", arguments.protocol_name, ", ", loop, ", ",
                arguments.connections, " connections x ", arguments.depth, ", ", arguments.keys,
                " keys (", arguments.distribution_name, "), ", length);
}

std::string AnswersTable(const Measurements& measured, ColorMode ink) {
  using enum Table::Align;
  Table table({{"requests"}, {"count", kRight}, {"share", kRight}});
  const auto add = [&](std::string name, std::uint64_t count) {
    const double all = static_cast<double>(measured.requests());
    const double share = all > 0 ? 100 * static_cast<double>(count) / all : 0;
    table.Add({std::move(name), std::to_string(count), Concat(DecimalText(share, 2), "%")});
  };
  add("allowed", measured.allowed());
  add("refused", measured.refused());
  add("errors", measured.errors());
  for (const auto& [cause, count] : measured.causes()) add(Concat("  ", cause), count);
  return table.ToText(ink);
}

std::string LatencyTable(const Histogram& latencies, ColorMode ink) {
  using enum Table::Align;
  std::vector<Table::Column> columns = {{"latency"}, {"min", kRight}, {"mean", kRight}};
  std::vector<std::string> cells = {"", LatencyText(latencies.min()), LatencyText(Mean(latencies))};
  for (const Quantile& quantile : kQuantiles) {
    columns.push_back({std::string(quantile.name), kRight});
    cells.push_back(LatencyText(latencies.Quantile(quantile.share)));
  }
  columns.push_back({"max", kRight});
  cells.push_back(LatencyText(latencies.max()));
  Table table(std::move(columns));
  table.Add(cells);
  return table.ToText(ink);
}

std::string LatencyJson(const Histogram& latencies) {
  if (latencies.total() == 0) return "null";
  std::string text = Concat(R"({"min":)", latencies.min(), R"(,"mean":)", Mean(latencies));
  for (const Quantile& quantile : kQuantiles) {
    text += Concat(R"(,")", quantile.name, R"(":)", latencies.Quantile(quantile.share));
  }
  return Concat(text, R"(,"max":)", latencies.max(), "}");
}

}  // namespace

std::string BenchText(const BenchArguments& arguments, const LoadReport& report, ColorMode ink) {
  const Measurements& measured = report.measured;
  std::string text = Concat(Emphasized(ink, Emphasis::kBold, Headline(arguments)), "\n\n",
                            AnswersTable(measured, ink), "\nrate ", DecimalText(report.rate(), 0),
                            "/s in ", SecondsText(report.elapsed), "s; the generator took ",
                            DecimalText(report.processors, 2), " processors\n");
  if (report.processors > kBusyShare * static_cast<double>(arguments.threads)) {
    text += "the generator had no time left: the server may be able to do more (--threads)\n";
  }
  if (measured.latencies().total() > 0) {
    text += Concat("\n", LatencyTable(measured.latencies(), ink));
  }
  if (arguments.expectations.empty()) return text;
  Table table({{"expected"}, {"found"}, {"outcome"}});
  for (const Expectation& expectation : arguments.expectations) {
    const bool holds = expectation.Holds(report);
    table.Add({expectation.text(), FoundText(expectation, report), holds ? "met" : "not met"},
              holds ? Emphasis::kGreen : Emphasis::kRed);
  }
  return Concat(text, "\n", table.ToText(ink));
}

std::string BenchJson(const BenchArguments& arguments, const LoadReport& report) {
  const Measurements& measured = report.measured;
  const LoadAmount& amount = arguments.amount;
  std::string causes;
  for (const auto& [cause, count] : measured.causes()) {
    causes += Concat(causes.empty() ? "" : ",", JsonString(cause), ":", count);
  }
  std::string expectations;
  for (const Expectation& expectation : arguments.expectations) {
    expectations +=
        Concat(expectations.empty() ? "" : ",", R"({"expected":)", JsonString(expectation.text()),
               R"(,"found":)", JsonString(FoundText(expectation, report)), R"(,"met":)",
               expectation.Holds(report) ? "true" : "false", "}");
  }
  return Concat(R"({"server":)", JsonString(Describe(arguments.server)), R"(,"protocol":)",
                JsonString(arguments.protocol_name), R"(,"loop":")",
                amount.rate > 0 ? "open" : "closed", R"(","connections":)", arguments.connections,
                R"(,"depth":)", arguments.depth, R"(,"threads":)", arguments.threads, R"(,"keys":)",
                arguments.keys, R"(,"distribution":)", JsonString(arguments.distribution_name),
                R"(,"requests":)", measured.requests(), R"(,"allowed":)", measured.allowed(),
                R"(,"refused":)", measured.refused(), R"(,"errors":)", measured.errors(),
                R"(,"causes":{)", causes, R"(},"seconds":)", SecondsText(report.elapsed),
                R"(,"rate":)", DecimalText(report.rate(), 1), R"(,"processors":)",
                DecimalText(report.processors, 3), R"(,"latency_ns":)",
                LatencyJson(measured.latencies()), R"(,"expectations":[)", expectations, "]}\n");
}

std::string ProgressLine(std::uint64_t number, const LoadReport& second) {
  const Measurements& measured = second.measured;
  const Histogram& latencies = measured.latencies();
  return Concat(number, "s  ", DecimalText(second.rate(), 0), "/s  p50 ",
                LatencyText(latencies.Quantile({500'000})), "  p99 ",
                LatencyText(latencies.Quantile({990'000})), "  max ", LatencyText(latencies.max()),
                "  refused ", measured.refused(), "  errors ", measured.errors(), "\n");
}

std::string UnmetLines(const BenchArguments& arguments, const LoadReport& report) {
  std::string text;
  for (const Expectation& expectation : arguments.expectations) {
    if (expectation.Holds(report)) continue;
    text += Concat("sluice bench: expected ", expectation.text(), ", found ",
                   FoundText(expectation, report), "\n");
  }
  return text;
}

}  // namespace sluice::cli
