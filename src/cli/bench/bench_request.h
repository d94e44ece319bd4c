// The requests that `sluice bench` sends.
#pragma once

#include "cli/bench/bench_arguments.h"
#include "load/load_session.h"
#include "sluice/result.h"

namespace sluice::cli {

// Makes sessions that send the requests of `arguments`. Fails if the protocol cannot carry them.
Result<LoadSessionFactory> BenchSessions(const BenchArguments& arguments);

}  // namespace sluice::cli
