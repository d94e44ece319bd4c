#include "bench/report.h"

#include <algorithm>
#include <cstdio>

namespace sluice::bench {
namespace {

constexpr std::size_t kBatches[] = {1, 16};

std::vector<Way> Columns(std::size_t cores) {
  std::vector<Way> ways;
  for (const std::size_t threads : {std::size_t{1}, cores}) {
    for (const std::size_t batch : kBatches) ways.push_back({batch, threads});
    if (cores == 1) break;
  }
  return ways;
}

std::string KeysText(std::uint64_t keys) {
  if (keys >= 1'000'000 && keys % 1'000'000 == 0) return std::to_string(keys / 1'000'000) + " M";
  if (keys >= 1'000 && keys % 1'000 == 0) return std::to_string(keys / 1'000) + " k";
  return std::to_string(keys);
}

const Cell* CellFor(const Row& row, const Way& way) {
  const auto same = [&way](const Cell& cell) {
    return cell.way.batch == way.batch && cell.way.threads == way.threads;
  };
  const auto found = std::find_if(row.cells.begin(), row.cells.end(), same);
  return found != row.cells.end() ? &*found : nullptr;
}

void PrintRates(const Row& row, const Way& way) {
  const Cell* const cell = CellFor(row, way);
  if (cell == nullptr) {
    std::printf(" | %6s %6s %6s", "-", "-", "-");
    return;
  }
  std::printf(" | %6.2f %6.2f %5.0f%%", cell->cpu.median / 1e6, cell->wall.median / 1e6,
              cell->cpu.spread * 100);
}

std::string Escaped(const std::string& text) {
  std::string out;
  for (const char letter : text) {
    if (letter == '"' || letter == '\\') out += '\\';
    if (static_cast<unsigned char>(letter) >= 0x20) out += letter;
  }
  return out;
}

void PrintCellJson(const Cell& cell) {
  std::printf(
      "{\"threads\":%zu,\"batch\":%zu,\"per_cpu_second\":%.0f,\"spread\":%.3f,"
      "\"per_second\":%.0f,\"per_second_spread\":%.3f,\"decisions\":%llu,"
      "\"allowed\":%llu}",
      cell.way.threads, cell.way.batch, cell.cpu.median, cell.cpu.spread, cell.wall.median,
      cell.wall.spread, static_cast<unsigned long long>(cell.decisions),
      static_cast<unsigned long long>(cell.allowed));
}

void PrintRowJson(const Row& row) {
  std::printf("{\"algorithm\":\"%s\",\"choice\":\"%s\",\"keys\":%llu,\"cells\":[",
              row.algorithm.c_str(), row.choice.c_str(), static_cast<unsigned long long>(row.keys));
  for (std::size_t i = 0; i < row.cells.size(); ++i) {
    if (i > 0) std::printf(",");
    PrintCellJson(row.cells[i]);
  }
  std::printf("]");
  if (row.footprint) {
    std::printf(
        ",\"bytes_per_key\":%.2f,\"resident_bytes_per_key\":%.2f,"
        "\"bytes_per_key_peak\":%.2f,\"resident_bytes_per_key_peak\":%.2f,"
        "\"adds_per_cpu_second\":%.0f",
        row.footprint->bytes, row.footprint->resident, row.footprint->bytes_peak,
        row.footprint->resident_peak, row.footprint->adds);
  }
  if (!row.warning.empty()) std::printf(",\"warning\":\"%s\"", Escaped(row.warning).c_str());
  std::printf("}");
}

void PrintGrowthJson(const Growth& growth) {
  std::printf(",\n \"growth\":{\"keys\":%llu,\"slots_moved_most\":%llu,\"ns\":[",
              static_cast<unsigned long long>(growth.keys),
              static_cast<unsigned long long>(growth.max_slots_moved));
  const char* comma = "";
  for (const Latencies& line : growth.lines) {
    std::printf(
        "%s\n  {\"what\":\"%s\",\"p50\":%.0f,\"p99\":%.0f,\"p99.9\":%.0f,"
        "\"p99.99\":%.0f,\"max\":%.0f}",
        comma, line.what.c_str(), line.p50, line.p99, line.p99_9, line.p99_99, line.max);
    comma = ",";
  }
  std::printf("]}");
}

}  // namespace

void PrintHead(const Report& report) {
  std::printf("%s\n\n", report.machine.c_str());
  std::printf(
      "Millions of decisions a second from key bytes through Limiter: of CPU time of the "
      "deciding\nthreads (cpu), of the wall (wall); median of rounds, and the spread of "
      "cpu.\n\n");
  std::printf("%-21s %5s %-12s", "", "", "");
  for (const Way& way : Columns(report.cores)) {
    const std::string head = std::to_string(way.threads) +
                             (way.threads == 1 ? " thread, batch " : " threads, batch ") +
                             std::to_string(way.batch);
    std::printf(" | %-20s", head.c_str());
  }
  std::printf(" | %-20s | adds\n%-21s %5s %-12s", "bytes per key", "algorithm", "keys", "chosen");
  for (std::size_t i = 0; i < Columns(report.cores).size(); ++i) {
    std::printf(" | %6s %6s %6s", "cpu", "wall", "+-");
  }
  std::printf(" | %6s %6s %6s | %5s\n", "states", "RSS", "peak", "cpu");
  std::fflush(stdout);
}

void PrintRow(const Report& report, const Row& row) {
  std::printf("%-21s %5s %-12s", row.algorithm.c_str(), KeysText(row.keys).c_str(),
              row.choice.c_str());
  for (const Way& way : Columns(report.cores)) PrintRates(row, way);
  if (row.footprint) {
    std::printf(" | %6.1f %6.1f %6.1f | %5.2f", row.footprint->bytes, row.footprint->resident,
                row.footprint->bytes_peak, row.footprint->adds / 1e6);
  } else {
    std::printf(" | %6s %6s %6s | %5s", "", "", "", "");
  }
  std::printf("%s%s\n", row.warning.empty() ? "" : "  ! ", row.warning.c_str());
  std::fflush(stdout);
}

void PrintRest(const Report& report) {
  std::printf("\n");
  for (const std::string& note : report.notes) std::printf("%s\n", note.c_str());
  if (!report.growth) return;
  const Growth& growth = *report.growth;
  std::printf(
      "\nSingle checks while growing from 0 to %s keys, in ns (no operation moved more "
      "than %llu slots)\n%-30s %8s %8s %8s %8s %10s\n",
      KeysText(growth.keys).c_str(), static_cast<unsigned long long>(growth.max_slots_moved), "",
      "p50", "p99", "p99.9", "p99.99", "max");
  for (const Latencies& line : growth.lines) {
    std::printf("%-30s %8.0f %8.0f %8.0f %8.0f %10.0f\n", line.what.c_str(), line.p50, line.p99,
                line.p99_9, line.p99_99, line.max);
  }
  std::fflush(stdout);
}

void PrintJson(const Report& report) {
  std::printf("{\"machine\":\"%s\",\"cores\":%zu,\n \"rows\":[", Escaped(report.machine).c_str(),
              report.cores);
  for (std::size_t i = 0; i < report.rows.size(); ++i) {
    std::printf("%s\n  ", i > 0 ? "," : "");
    PrintRowJson(report.rows[i]);
  }
  std::printf("],\n \"notes\":[");
  for (std::size_t i = 0; i < report.notes.size(); ++i) {
    std::printf("%s\"%s\"", i > 0 ? "," : "", Escaped(report.notes[i]).c_str());
  }
  std::printf("]");
  if (report.growth) PrintGrowthJson(*report.growth);
  std::printf("}\n");
}

}  // namespace sluice::bench
