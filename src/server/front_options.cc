#include "server/front_options.h"

#include <cstddef>
#include <random>
#include <string>

#include "limiter/system_random.h"
#include "server/serve_parts.h"

namespace sluice::cli {

void SetFrontOptions(const Settings& settings, HttpFrontOptions& options) {
  const auto checks = static_cast<std::size_t>(settings.bounds.checks);
  options.headers.profile = settings.headers.profile;
  options.headers.jitter = settings.headers.retry_after_jitter;
  options.headers.draw = [engine = std::mt19937_64(DrawHashSeed().low)]() mutable {
    return engine();
  };
  options.limiter.max_checks = checks;
  options.rls.bounds.max_descriptors = checks;
  if (settings.rls.dynamic_metadata) options.rls.metadata = DynamicMetadata::kAlways;
  options.max_message_bytes = static_cast<std::size_t>(settings.bounds.request_bytes.count);
  options.trust = TrustOf(settings);
  options.client_header = settings.client_header;
  options.unknown_domain = settings.unknown_domain;
}

}  // namespace sluice::cli
