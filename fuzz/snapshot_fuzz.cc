// Fuzzes snapshots: arbitrary content is rejected, or restored into a store that decides within
// bounds.
//
// If the first byte is even, the rest is the content of a file from its version on. If it is odd,
// the rest is choices: first charges to a store, which is then saved; then patches to the saved
// bytes, each with a place (in the slot of a key, or anywhere), a width and a value. A restored
// store is then asked about keys of every algorithm.
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "core/limit/limit.h"
#include "fuzz/byte_reader.h"
#include "fuzz/must.h"
#include "fuzz/read_limit.h"
#include "store/memory_store.h"
#include "store/registered_limit.h"
#include "store/snapshot.h"
#include "store/snapshot_file.h"

namespace sluice::fuzz {
namespace {

constexpr Time kSavedAt{Nanos{1'700'000'000'000'000'000}};
constexpr HashSeed kSeed{1, 2};
constexpr std::array<std::string_view, 2> kKeys{"a", "b"};
constexpr std::array kCosts{std::int64_t{1}, std::int64_t{0}, std::int64_t{3},
                            std::int64_t{1'000'000'000'000'000'000}};

// Each kind of state in each table, with its terms and the terms that replace them.
struct Kind {
  std::string_view name;
  std::string_view terms;
  std::string_view changed;
};
constexpr std::array kKinds{
    Kind{"narrow", "5/m", "7/m"},
    Kind{"narrow wait", R"({"rate":"5/m","max_wait":"10s"})", "3/h"},
    Kind{"wide bucket", R"({"rate":"1/year","burst":9})", "2/s"},
    Kind{"fine bucket", "1000003/s", "7/s"},
    Kind{"leaky", R"({"rate":"5/m","algorithm":"leaky_bucket"})",
         R"({"rate":"5/h","algorithm":"leaky_bucket"})"},
    Kind{"interval", R"({"rate":"5/m","refill":"interval"})", "5/m"},
    Kind{"fixed", R"({"rate":"5/m","algorithm":"fixed_window"})",
         R"({"rate":"5/d","algorithm":"fixed_window","window":"calendar"})"},
    Kind{"narrow window", R"({"rate":"5/m","algorithm":"sliding_window"})",
         R"({"rate":"100000/m","algorithm":"sliding_window"})"},
    Kind{"pair window", R"({"rate":"100000/m","algorithm":"sliding_window"})",
         R"({"rate":"5/h","algorithm":"sliding_window"})"},
    Kind{"triple window", R"({"rate":"10000000000/m","algorithm":"sliding_window"})",
         R"({"rate":"5/m","algorithm":"sliding_window"})"},
    Kind{"pacer", R"({"rate":"5/m","algorithm":"pacer"})",
         R"({"rate":"5/m","algorithm":"pacer","warm_up":"10s"})"},
    Kind{"warm-up", R"({"rate":"5/m","algorithm":"pacer","warm_up":"10s"})",
         R"({"rate":"5/m","algorithm":"pacer"})"},
    Kind{"log", R"({"rate":"5/m","algorithm":"sliding_log"})",
         R"({"rate":"2/h","algorithm":"sliding_log"})"},
    Kind{"parts", R"({"rate":"5/m","algorithm":"sliding_buckets","buckets":6})",
         R"({"rate":"9/h","algorithm":"sliding_buckets","oldest":"weighted"})"},
    Kind{"permits", R"({"algorithm":"concurrency","max_in_flight":5})",
         R"({"algorithm":"concurrency","max_in_flight":2,"ttl":"1h"})"}};
constexpr std::string_view kCallerTermsName = "brought";

struct KindLimits {
  Limit terms;
  Limit changed;
};

Limit MustRead(std::string_view text) {
  auto read = ReadLimit(text);
  Must(std::holds_alternative<Limit>(read), "the limits of this file can be read");
  return std::get<Limit>(std::move(read));
}

const std::vector<KindLimits>& Limits() {
  static const std::vector<KindLimits> limits = [] {
    std::vector<KindLimits> all;
    for (const Kind& kind : kKinds) all.push_back({MustRead(kind.terms), MustRead(kind.changed)});
    return all;
  }();
  return limits;
}

// A store with a limit of each kind.
struct Subject {
  std::unique_ptr<MemoryStore> store;
  std::vector<LimitHandle> handles;
  LimitHandle caller_limit;
  Time now = kSavedAt;

  Subject() {
    constexpr std::uint64_t kMinMemory = std::uint64_t{16} << 20U;
    auto made = MemoryStore::Create({.memory_bytes = kMinMemory, .seed = kSeed});
    Must(made.ok(), "there is memory");
    store = std::move(made).value();
  }

  // Returns false if a limit cannot be added: a file may already hold the maximum of 255 terms per
  // limit.
  bool AddLimits(bool changed) {
    for (std::size_t i = 0; i < kKinds.size(); ++i) {
      const Limit& limit = changed ? Limits()[i].changed : Limits()[i].terms;
      const auto added = store->Add(kKinds[i].name, limit, now);
      if (!added.ok()) return false;
      handles.push_back(added.value());
    }
    const auto added = store->AddCallerLimit(kCallerTermsName, now);
    if (added.ok()) caller_limit = added.value();
    return added.ok();
  }

  [[nodiscard]] static bool IsPermits(std::size_t kind) {
    return std::holds_alternative<Concurrency>(Limits()[kind].terms.terms);
  }

  Decision Run(std::size_t kind, Operation operation, std::string_view key, Cost cost) const {
    const Charge charge{handles[kind], key, cost};
    if (operation == Operation::kAcquire || operation == Operation::kRenew ||
        operation == Operation::kRelease) {
      return store->DecidePermit(operation, charge, store->HashPermit("id"), now);
    }
    Decision decision;
    store->DecideEach(operation, {&charge, 1}, {&decision, 1}, now);
    return decision;
  }

  Decision RunWithCallerTerms(const CallerTerms& terms, std::string_view key, Cost cost) const {
    const CallerCharge charge{&terms, key, cost};
    Decision decision;
    store->DecideCallerCharges(caller_limit, {&charge, 1}, {&decision, 1}, now);
    return decision;
  }
};

void MustBeInBounds(const Decision& decision) {
  Must(decision.remaining <= decision.limit, "what is left is within the limit");
  Must(decision.remaining >= 0 || decision.remaining == kNoUnits, "nothing is left below 0");
  Must(decision.retry_after >= Nanos{0}, "nobody comes back in the past");
  Must(decision.reset_after >= Nanos{0}, "nothing was over before");
  Must(decision.wait >= Nanos{0}, "nobody waits for the past");
  Must(decision.allowed || decision.retry_after > Nanos{0}, "who is refused is told until when");
}

// Decides all kinds in one request, which claims a state for each charge first.
void DecideTogether(const Subject& subject, std::string_view key) {
  std::vector<Charge> charges;
  for (std::size_t i = 0; i < kKinds.size(); ++i) {
    charges.push_back({subject.handles[i], key, Cost{1}});
  }
  const Request request{charges};
  std::vector<Decision> decisions(charges.size());
  subject.store->Decide({&request, 1}, decisions, subject.now);
  for (const Decision& decision : decisions) MustBeInBounds(decision);
}

void DecideEverywhere(Subject& subject) {
  constexpr std::array kOfUnits{Operation::kPeek, Operation::kCheck, Operation::kRefund,
                                Operation::kDebt, Operation::kCheck};
  constexpr std::array kOfPermits{Operation::kPeek, Operation::kAcquire, Operation::kRenew,
                                  Operation::kAcquire, Operation::kRelease};
  const auto terms = CallerTerms::Make({7, Nanos{1'000'000'000}}, 5);
  Must(terms.ok(), "7 a second are terms");
  for (const Nanos later : {Nanos{0}, Nanos{11'000'000'000}, Nanos{3'600'000'000'000}}) {
    subject.now += later;
    for (const std::string_view key : kKeys) {
      DecideTogether(subject, key);
      for (std::size_t kind = 0; kind < kKinds.size(); ++kind) {
        for (std::size_t i = 0; i < kOfUnits.size(); ++i) {
          const Operation operation = Subject::IsPermits(kind) ? kOfPermits[i] : kOfUnits[i];
          MustBeInBounds(subject.Run(kind, operation, key, Cost{1}));
        }
      }
      MustBeInBounds(subject.RunWithCallerTerms(terms.value(), key, Cost{1}));
    }
  }
}

void MustRestore(std::span<const std::uint8_t> content, bool changed) {
  Subject subject;
  SnapshotReader in = SnapshotReader::OverForTest(content);
  if (!Snapshot::Restore(*subject.store, in, {}, subject.now).ok()) return;
  // Adding fails if the file holds too many terms.
  if (!subject.AddLimits(changed)) return;
  DecideEverywhere(subject);
  std::string again;
  SnapshotWriter out = SnapshotWriter::IntoForTest(again);
  Snapshot::Save(*subject.store, out, subject.now);
  Must(out.Commit().ok(), "what was restored is saved");
}

std::string SavedBy(ByteReader& bytes) {
  Subject subject;
  Must(subject.AddLimits(false), "limits are added");
  const auto terms = CallerTerms::Make({7, Nanos{1'000'000'000}}, 5);
  for (std::size_t left = bytes.Below(32); left > 0; --left) {
    const std::size_t kind = bytes.Below(kKinds.size() + 1);
    const std::string_view key = bytes.Pick(kKeys);
    const Cost cost{bytes.Pick(kCosts)};
    const bool debt = bytes.OneIn(4);
    if (kind == kKinds.size()) {
      subject.RunWithCallerTerms(terms.value(), key, cost);
    } else if (Subject::IsPermits(kind)) {
      subject.Run(kind, Operation::kAcquire, key, cost);
    } else {
      subject.Run(kind, debt ? Operation::kDebt : Operation::kCheck, key, cost);
    }
    subject.now += Nanos{static_cast<std::int64_t>(bytes.Byte()) * 1'000'000};
  }
  std::string content;
  SnapshotWriter out = SnapshotWriter::IntoForTest(content);
  Snapshot::Save(*subject.store, out, subject.now);
  Must(out.Commit().ok(), "a store is saved");
  return content;
}

// Returns the offset of a key's slot, or 0 if it has none.
std::size_t SlotOf(const std::string& content, std::size_t kind, std::string_view key) {
  const Algorithm algorithm = Limits()[kind].terms.spec.algorithm;
  const RegisteredLimit hash(std::string(kKinds[kind].name), 0, kSeed, algorithm);
  const std::uint64_t word = (hash.Hash(key) << 8U) | 1U;
  char bytes[sizeof(word)];
  std::memcpy(bytes, &word, sizeof(word));
  const std::size_t at = content.find(std::string_view(bytes, sizeof(bytes)));
  return at == std::string::npos ? 0 : at;
}

// Returns numbers near boundaries.
std::uint64_t PatchValue(ByteReader& bytes) {
  const std::uint64_t number = bytes.Number();
  switch (bytes.Below(4)) {
    case 0:
      return number;
    case 1:
      return ~number;
    case 2:
      return static_cast<std::uint64_t>(kSavedAt.time_since_epoch().count()) + number;
    default:
      return (std::uint64_t{1} << 63U) - number;
  }
}

void Patch(ByteReader& bytes, std::string& content) {
  while (!bytes.AtEnd()) {
    std::size_t at = 0;
    if (bytes.OneIn(4)) {
      at = bytes.Byte() + std::size_t{256} * bytes.Byte();
    } else {
      const std::size_t kind = bytes.Below(kKinds.size());
      at = SlotOf(content, kind, bytes.Pick(kKeys)) + bytes.Below(64);
    }
    at %= content.size();
    const std::size_t width = std::min(std::size_t{1} << bytes.Below(4), content.size() - at);
    const std::uint64_t value = PatchValue(bytes);
    std::memcpy(content.data() + at, &value, width);
  }
}

void Run(ByteReader bytes) {
  const std::uint8_t mode = bytes.Byte();
  const bool changed = (mode & 2U) != 0;
  std::string content;
  if ((mode & 1U) != 0) {
    content = SavedBy(bytes);
    Patch(bytes, content);
  } else {
    content = bytes.Bytes(SIZE_MAX);
  }
  const auto* const data = reinterpret_cast<const std::uint8_t*>(content.data());
  MustRestore({data, content.size()}, changed);
}

}  // namespace
}  // namespace sluice::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  sluice::fuzz::Run(sluice::fuzz::ByteReader(std::span(data, size)));
  return 0;
}
