#include "bench/measure.h"

#include <algorithm>
#include <array>
#include <barrier>
#include <string>
#include <thread>

#include "bench/machine.h"

namespace sluice::bench {
namespace {

constexpr std::size_t kMaxBatch = 16;
static_assert(Draws::kCount % kMaxBatch == 0, "a batch never reaches past the last draw");

// Decisions between two readings of the wall clock.
constexpr std::uint64_t kStride = 4096;

struct Tally {
  std::uint64_t decisions = 0;
  std::uint64_t allowed = 0;
  double cpu = 0;
  double wall = 0;
};

// The position of one thread in the draws, kept from round to round. Aligned so that threads do not
// share cache lines.
struct alignas(128) Walk {
  Filled& filled;
  const Draws& draws;
  std::size_t at = 0;

  std::string_view Next() {
    const std::string_view key = draws.At(at);
    at = (at + 1) % Draws::kCount;
    return key;
  }
};

std::uint64_t AskSingly(Walk& walk) {
  Limiter& limiter = walk.filled.limiter();
  std::uint64_t allowed = 0;
  Charge charge{walk.filled.handle(), {}};
  for (std::uint64_t i = 0; i < kStride; ++i) {
    charge.key = walk.Next();
    allowed += limiter.Check(charge).allowed ? 1U : 0U;
  }
  return allowed;
}

std::uint64_t AskInBatches(Walk& walk, std::size_t batch) {
  Limiter& limiter = walk.filled.limiter();
  std::uint64_t allowed = 0;
  std::array<Charge, kMaxBatch> charges;
  std::array<Decision, kMaxBatch> decisions;
  charges.fill({walk.filled.handle(), {}});
  const std::span<const Charge> asked = std::span(charges).first(batch);
  for (std::uint64_t i = 0; i < kStride; i += batch) {
    for (std::size_t j = 0; j < batch; ++j) charges[j].key = walk.Next();
    limiter.Check(asked, decisions);
    for (std::size_t j = 0; j < batch; ++j) allowed += decisions[j].allowed ? 1U : 0U;
  }
  return allowed;
}

// Takes and returns permits; each pair is two decisions.
std::uint64_t AskForPermits(Walk& walk, std::string_view id) {
  Limiter& limiter = walk.filled.limiter();
  std::uint64_t allowed = 0;
  Charge charge{walk.filled.handle(), {}};
  for (std::uint64_t i = 0; i < kStride; i += 2) {
    charge.key = walk.Next();
    allowed += limiter.Acquire(charge, id).allowed ? 1U : 0U;
    allowed += limiter.Release(charge, id).allowed ? 1U : 0U;
  }
  return allowed;
}

// Makes decisions until the wall clock reaches the deadline, but at least one stride.
Tally AskUntil(Walk& walk, const Way& way, std::string_view id, double deadline) {
  Tally tally;
  const double cpu = ThreadCpuSeconds();
  const double wall = WallSeconds();
  do {
    if (walk.filled.subject().permits) {
      tally.allowed += AskForPermits(walk, id);
    } else {
      tally.allowed += way.batch == 1 ? AskSingly(walk) : AskInBatches(walk, way.batch);
    }
    tally.decisions += kStride;
  } while (WallSeconds() < deadline);
  tally.cpu = ThreadCpuSeconds() - cpu;
  tally.wall = WallSeconds() - wall;
  return tally;
}

// Runs one round of one way on new threads. The wall time is that of the slowest thread.
Tally RunRound(std::vector<Walk>& walks, const Way& way, double seconds, bool pin) {
  std::vector<Tally> tallies(way.threads);
  std::barrier start(static_cast<std::ptrdiff_t>(way.threads));
  const auto work = [&](std::size_t index) {
    if (pin) PinToCore(index);
    Walk& walk = walks[index];
    const std::string id = "request " + std::to_string(index);
    walk.filled.clock().Join(Nanos{static_cast<std::int64_t>(way.batch * way.threads)});
    start.arrive_and_wait();
    tallies[index] = AskUntil(walk, way, id, WallSeconds() + seconds);
    walk.filled.clock().Leave();
  };
  std::vector<std::thread> threads;
  for (std::size_t i = 0; i < way.threads; ++i) threads.emplace_back(work, i);
  for (std::thread& thread : threads) thread.join();
  Tally sum;
  for (const Tally& tally : tallies) {
    sum.decisions += tally.decisions;
    sum.allowed += tally.allowed;
    sum.cpu += tally.cpu;
    sum.wall = std::max(sum.wall, tally.wall);
  }
  return sum;
}

PerSecond Summary(std::vector<double> rates) {
  std::sort(rates.begin(), rates.end());
  const std::size_t half = rates.size() / 2;
  const double median = rates.size() % 2 != 0 ? rates[half] : (rates[half - 1] + rates[half]) / 2;
  return {median, (rates.back() - rates.front()) / median};
}

Cell CellOf(const Way& way, const std::vector<Tally>& rounds) {
  Cell cell{.way = way};
  std::vector<double> cpu;
  std::vector<double> wall;
  for (const Tally& tally : rounds) {
    cpu.push_back(static_cast<double>(tally.decisions) / tally.cpu);
    wall.push_back(static_cast<double>(tally.decisions) / tally.wall);
    cell.decisions += tally.decisions;
    cell.allowed += tally.allowed;
  }
  cell.cpu = Summary(std::move(cpu));
  cell.wall = Summary(std::move(wall));
  return cell;
}

}  // namespace

std::vector<Cell> MeasureWays(Filled& filled, const Draws& draws, const std::vector<Way>& ways,
                              const Pace& pace) {
  std::size_t max_threads = 1;
  for (const Way& way : ways) max_threads = std::max(max_threads, way.threads);
  std::vector<Walk> walks;
  for (std::size_t i = 0; i < max_threads; ++i) {
    const std::size_t start = Draws::kCount / max_threads * i;
    walks.push_back({filled, draws, start - start % kMaxBatch});
  }
  std::vector<std::vector<Tally>> tallies(ways.size());
  for (int round = 0; round < pace.rounds; ++round) {
    for (std::size_t i = 0; i < ways.size(); ++i) {
      tallies[i].push_back(RunRound(walks, ways[i], pace.seconds / pace.rounds, pace.pin));
    }
  }
  std::vector<Cell> cells;
  for (std::size_t i = 0; i < ways.size(); ++i) cells.push_back(CellOf(ways[i], tallies[i]));
  return cells;
}

void WarmUp(Filled& filled, const Draws& draws) {
  constexpr std::uint64_t kFew = 1U << 18U;
  const std::uint64_t wanted =
      filled.subject().ages ? std::max(kFew, kChargesInView * filled.keys()) : kFew;
  const Way way{filled.subject().permits ? std::size_t{1} : kMaxBatch, 1};
  Walk walk{filled, draws};
  filled.clock().Join(Nanos{static_cast<std::int64_t>(way.batch)});
  for (std::uint64_t done = 0; done < wanted;) {
    done += AskUntil(walk, way, "warm up", 0).decisions;
  }
  filled.clock().Leave();
}

}  // namespace sluice::bench
