// The requests that `sluice bench` sends.
#pragma once

#include "cli/bench_arguments.h"
#include "load/load_session.h"
#include "sluice/result.h"

namespace sluice::cli {

// Makes sessions that send what the arguments ask for. The error says what the protocol cannot
// carry.
Result<LoadSessionFactory> BenchSessions(const BenchArguments& arguments);

}  // namespace sluice::cli
