#include "cli/bench/bench_arguments.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <optional>
#include <utility>
#include <variant>

#include "base/decimal.h"
#include "base/duration.h"
#include "base/spelling.h"
#include "base/text.h"
#include "base/utf8.h"
#include "cli/check/request_flags.h"

namespace sluice::cli {
namespace {

constexpr std::array kFlags = {
    Flag{"--server", FlagValues::kOne, "ADDRESS", "127.0.0.1:8080"},
    Flag{"--protocol", FlagValues::kOne, "NAME", "rls"},
    Flag{"--domain", FlagValues::kOne, "DOMAIN", "api"},
    Flag{"--attribute", FlagValues::kSeveral, "NAME=VALUE...", "user={key}"},
    Flag{"--method", FlagValues::kOne, "NAME", "GET"},
    Flag{"--path", FlagValues::kOne, "PATH", "/"},
    Flag{"--command", FlagValues::kOne, "TEXT", "'INCR {key}'"},
    kHeaderFlag,
    kTokenFlag,
    Flag{"--keys", FlagValues::kOne, "COUNT", "1000000"},
    Flag{"--distribution", FlagValues::kOne, "NAME", "zipf"},
    Flag{"--seed", FlagValues::kOne, "NUMBER", "2"},
    Flag{"--connections", FlagValues::kOne, "COUNT", "64"},
    Flag{"--streams", FlagValues::kOne, "COUNT", "100"},
    Flag{"--pipeline", FlagValues::kOne, "COUNT", "16"},
    Flag{"--threads", FlagValues::kOne, "COUNT", "2"},
    Flag{"--rate", FlagValues::kOne, "COUNT", "50000"},
    Flag{"--duration", FlagValues::kOne, "LENGTH", "30s"},
    Flag{"--requests", FlagValues::kOne, "COUNT", "100000"},
    Flag{"--warm-up", FlagValues::kOne, "LENGTH", "2s"},
    Flag{"--timeout", FlagValues::kOne, "LENGTH", "500ms"},
    Flag{"--expect", FlagValues::kSeveral, "TEXT...", "'p99<1ms'"},
    Flag{"--progress", FlagValues::kNone},
    kFormFlag,
    Flag{"--help", FlagValues::kNone},
};

struct ProtocolWord {
  std::string_view name;
  BenchProtocol protocol;
};
constexpr std::array kProtocols = {ProtocolWord{"http", BenchProtocol::kHttp},
                                   ProtocolWord{"rls", BenchProtocol::kRls},
                                   ProtocolWord{"resp", BenchProtocol::kResp},
                                   ProtocolWord{"forward-auth", BenchProtocol::kForwardAuth}};

struct DistributionWord {
  std::string_view name;
  KeyDistribution distribution;
};
constexpr std::array kDistributions = {
    DistributionWord{"uniform", KeyDistribution::kUniform},
    DistributionWord{"zipf", KeyDistribution::kZipf},
    DistributionWord{"hot", KeyDistribution::kHot},
    DistributionWord{"sequential", KeyDistribution::kSequential}};

// Returns the entry that the flag names, or the first entry if the flag is not given.
template <typename Word, std::size_t count>
Result<Word> ReadWord(const GivenFlags& given, std::string_view flag,
                      const std::array<Word, count>& words) {
  const std::string_view text = given.ValueOr(flag, words.front().name);
  const auto* const found = std::ranges::find(words, text, &Word::name);
  if (found != words.end()) return *found;
  std::array<std::string_view, count> names;
  std::ranges::transform(words, names.begin(), &Word::name);
  return Error{Concat(flag, ": unknown word ", Quoted(text), Suggestion(text, names))};
}

struct CountRange {
  std::uint64_t otherwise;  // if the flag is not given
  std::uint64_t min;
  std::uint64_t max;
};

// Reads flags one after another and keeps the first error. After an error the values are
// meaningless.
class Reader {
 public:
  explicit Reader(const GivenFlags& given) : given_(given) {}

  std::uint64_t Count(std::string_view flag, const CountRange& range) {
    if (!given_.Has(flag)) return range.otherwise;
    const std::string_view text = given_.ValueOr(flag, "");
    const auto number = ReadWhole(text);
    const auto* const whole = std::get_if<std::int64_t>(&number);
    const auto count = whole == nullptr ? 0 : static_cast<std::uint64_t>(*whole);
    if (whole == nullptr || count < range.min || count > range.max) {
      Refuse(Concat(flag, ": expected a whole number from ", range.min, " to ", range.max,
                    ", found ", Quoted(text)));
    }
    return count;
  }

  Nanos Length(std::string_view flag, std::string_view otherwise) {
    constexpr Nanos kMax = std::chrono::hours{24};
    const std::string_view text = given_.ValueOr(flag, otherwise);
    const Result<Nanos> length = ParseDuration(text);
    if (!length) Refuse(Concat(flag, ": ", length.error().message));
    if (length && length.value() > kMax) {
      Refuse(Concat(flag, ": expected at most 1d, found ", Quoted(text)));
    }
    return length ? length.value() : Nanos{0};
  }

  template <typename T>
  T Take(Result<T> read) {
    if (read) return std::move(read).value();
    Refuse(read.error().message);
    return T{};
  }

  void Refuse(std::string message) {
    if (!error_) error_ = Error{std::move(message)};
  }
  [[nodiscard]] const std::optional<Error>& error() const { return error_; }

 private:
  const GivenFlags& given_;
  std::optional<Error> error_;
};

// A flag that does not apply to the protocol is an error.
struct Belonging {
  std::string_view flag;
  std::array<BenchProtocol, 3> protocols;
};
using enum BenchProtocol;
constexpr std::array kBelongings = {
    Belonging{"--domain", {kHttp, kRls, kForwardAuth}},
    Belonging{"--attribute", {kHttp, kRls, kForwardAuth}},
    Belonging{"--method", {kHttp, kHttp, kHttp}},
    Belonging{"--path", {kHttp, kHttp, kHttp}},
    Belonging{"--command", {kResp, kResp, kResp}},
    Belonging{kHeaderFlag.name, {kHttp, kRls, kForwardAuth}},
    Belonging{"--streams", {kRls, kRls, kRls}},
    Belonging{"--pipeline", {kHttp, kResp, kForwardAuth}},
};

void CheckBelongings(const GivenFlags& given, const BenchArguments& arguments, Reader& reader) {
  for (const Belonging& each : kBelongings) {
    const bool belongs =
        std::ranges::find(each.protocols, arguments.protocol) != each.protocols.end();
    if (given.Has(each.flag) && !belongs) {
      reader.Refuse(Concat(each.flag, " is not for ", arguments.protocol_name));
    }
  }
  for (const std::string_view flag : {"--domain", "--attribute"}) {
    if (given.Has(flag) && arguments.method == "GET") {
      reader.Refuse(Concat(flag, " is not for GET, which has no body"));
    }
  }
  if (given.Has("--duration") && given.Has("--requests")) {
    reader.Refuse("expected --duration or --requests, found both");
  }
}

void ReadRequest(const GivenFlags& given, BenchArguments& arguments, Reader& reader) {
  const bool by_resp = arguments.protocol == kResp;
  arguments.method = given.ValueOr("--method", arguments.protocol == kHttp ? "POST" : "");
  if (arguments.protocol == kHttp && arguments.method != "POST" && arguments.method != "GET") {
    reader.Refuse(Concat("--method: expected GET or POST, found ", Quoted(arguments.method)));
  }
  arguments.path = given.ValueOr("--path", "/v1/check");
  arguments.command = given.ValueOr("--command", "CL.THROTTLE {key} 15 30 60 1");
  arguments.domain = given.ValueOr("--domain", "");
  if (arguments.domain.empty() && !by_resp && arguments.method != "GET") {
    reader.Refuse("expected --domain DOMAIN, for example --domain api");
  }
  if (!IsUtf8(arguments.domain)) reader.Refuse("--domain: expected UTF-8");
  for (const std::string_view text : given.Values("--attribute")) {
    const Result<Attribute> attribute = ReadAttribute(text);
    if (!attribute) return reader.Refuse(Concat("--attribute: ", attribute.error().message));
    if (!IsUtf8(text)) return reader.Refuse("--attribute: expected UTF-8");
    arguments.attributes.push_back(attribute.value());
  }
  if (arguments.attributes.empty()) {
    const bool forwards = arguments.protocol == kForwardAuth;
    arguments.attributes = {{forwards ? "header.x-user-id" : "user", "{key}"}};
  }
}

void ReadAmount(const GivenFlags& given, BenchArguments& arguments, Reader& reader) {
  constexpr std::uint64_t kMaxCount = 1'000'000'000'000;
  LoadAmount& amount = arguments.amount;
  amount.rate = reader.Count("--rate", {0, 1, 100'000'000});
  amount.warm_up = reader.Length("--warm-up", "0s");
  amount.requests = reader.Count("--requests", {0, 1, kMaxCount});
  amount.duration = reader.Length("--duration", "10s");
  if (amount.duration == Nanos{0}) reader.Refuse("--duration: expected more than 0s");
  arguments.threads = reader.Count("--threads", {1, 1, 64});
  arguments.connections = reader.Count("--connections", {10, 1, 100'000});
  if (arguments.connections < arguments.threads) {
    reader.Refuse("--connections: expected at least one for each of the --threads");
  }
  arguments.depth = arguments.protocol == kRls ? reader.Count("--streams", {10, 1, 10'000})
                                               : reader.Count("--pipeline", {1, 1, 10'000});
  arguments.keys = reader.Count("--keys", {1000, 1, kMaxCount});
  arguments.seed = reader.Count("--seed", {1, 0, kMaxCount});
  arguments.timeout = reader.Take(ReadTimeout(given));
}

}  // namespace

Result<GivenFlags> ReadBenchFlags(std::span<const std::string_view> args) {
  return ReadFlags(kFlags, args);
}

Result<BenchArguments> ReadBenchArguments(const GivenFlags& given) {
  Reader reader(given);
  BenchArguments arguments;
  arguments.server = reader.Take(ReadServer(given));
  const auto protocol = reader.Take(ReadWord(given, "--protocol", kProtocols));
  arguments.protocol = protocol.protocol;
  arguments.protocol_name = protocol.name;
  const auto distribution = reader.Take(ReadWord(given, "--distribution", kDistributions));
  arguments.distribution = distribution.distribution;
  arguments.distribution_name = distribution.name;
  ReadRequest(given, arguments, reader);
  arguments.credentials = reader.Take(ReadCredentials(given));
  ReadAmount(given, arguments, reader);
  CheckBelongings(given, arguments, reader);
  for (const std::string_view text : given.Values("--expect")) {
    Result<Expectation> read = Expectation::Parse(text);
    if (!read) return Error{Concat("--expect: ", read.error().message)};
    arguments.expectations.push_back(std::move(read).value());
  }
  arguments.shows_progress = given.Has("--progress");
  arguments.form = reader.Take(ReadForm(given));
  if (reader.error()) return *reader.error();
  return arguments;
}

}  // namespace sluice::cli
