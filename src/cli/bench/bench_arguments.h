// The arguments of `sluice bench`.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "cli/check/credentials.h"
#include "cli/flags.h"
#include "cli/usage.h"
#include "load/expectation.h"
#include "load/key_choice.h"
#include "load/send_schedule.h"
#include "net/loop/endpoint.h"
#include "sluice/attribute.h"
#include "sluice/result.h"
#include "sluice/time.h"

namespace sluice::cli {

enum class BenchProtocol : std::uint8_t { kHttp, kRls, kResp, kForwardAuth };

// The parsed command line, which it views.
struct BenchArguments {
  Endpoint server;
  BenchProtocol protocol = BenchProtocol::kHttp;
  std::string_view protocol_name;

  // The request. "{key}" in a text is replaced by the key.
  std::string_view domain;
  std::vector<Attribute> attributes;
  std::string_view method;   // kHttp
  std::string_view path;     // kHttp
  std::string_view command;  // kResp
  Credentials credentials;

  LoadAmount amount;
  std::size_t connections = 0;
  std::size_t depth = 0;  // requests in flight per connection
  std::size_t threads = 0;
  std::uint64_t keys = 0;
  KeyDistribution distribution = KeyDistribution::kUniform;
  std::string_view distribution_name;
  std::uint64_t seed = 0;
  Nanos timeout{0};

  std::vector<Expectation> expectations;
  bool shows_progress = false;  // even if stderr is no terminal
  OutputForm form = OutputForm::kText;
};

// Returns the text of `sluice bench --help`.
std::string_view BenchHelp();

// Reads the flags of the command.
Result<GivenFlags> ReadBenchFlags(std::span<const std::string_view> args);

// Reads their values. Checks that each is in its range and applies to the protocol.
Result<BenchArguments> ReadBenchArguments(const GivenFlags& given);

}  // namespace sluice::cli
