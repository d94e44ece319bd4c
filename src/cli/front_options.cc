#include "cli/front_options.h"

#include <cstddef>
#include <random>
#include <string>

#include "cli/serve_parts.h"
#include "limiter/system_random.h"

namespace sluice::cli {

void SetFrontOptions(const Settings& settings, HttpFrontOptions& options) {
  const auto checks = static_cast<std::size_t>(settings.bounds.checks);
  options.headers.profile = settings.headers.profile;
  options.headers.jitter = settings.headers.retry_after_jitter;
  options.headers.draw = [engine = std::mt19937_64(DrawHashSeed().low)]() mutable {
    return engine();
  };
  options.limiter.checks_most = checks;
  options.rls.bounds.descriptors_most = checks;
  if (settings.rls.dynamic_metadata) options.rls.metadata = DynamicMetadata::kAlways;
  options.message_bytes_most = static_cast<std::size_t>(settings.bounds.request_bytes.count);
  options.trust = TrustOf(settings);
  options.client_header = settings.client_header;
  options.unknown_domain = settings.unknown_domain;
}

}  // namespace sluice::cli
