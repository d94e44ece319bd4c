#include <array>

#include "config/settings/settings_table.h"

namespace sluice {
namespace {

using std::chrono::hours;
using std::chrono::milliseconds;
using std::chrono::minutes;

constexpr std::int64_t Ns(Nanos length) { return length.count(); }

constexpr SettingRange kDeadlines = {Ns(milliseconds{100}), Ns(hours{1})};
constexpr SettingRange kDrains = {0, Ns(hours{1})};

constexpr std::array kRows = {
    Setting{.path = "bounds.connections",
            .slot = MakeSlot<&Settings::bounds, &BoundSettings::connections>(),
            .range = {1, 1'000'000},
            .example = "2000",
            .meaning = "open connections; more wait to be accepted"},
    Setting{.path = "bounds.connection_requests",
            .slot = MakeSlot<&Settings::bounds, &BoundSettings::connection_requests>(),
            .range = {1, 100'000},
            .example = "500",
            .meaning = "requests in flight on one connection; more are not read yet"},
    Setting{.path = "bounds.streams",
            .slot = MakeSlot<&Settings::bounds, &BoundSettings::streams>(),
            .range = {1, 100'000},
            .example = "250",
            .meaning = "HTTP/2 streams open at once on one connection"},
    Setting{.path = "bounds.bytes",
            .slot = MakeSlot<&Settings::bounds, &BoundSettings::bytes>(),
            .range = {MiB(1).count, TiB(1).count},
            .example = "1GiB",
            .meaning = "bytes for all connections; one over 16KiB that adds to more is closed"},
    Setting{.path = "bounds.connection_bytes",
            .slot = MakeSlot<&Settings::bounds, &BoundSettings::connection_bytes>(),
            .range = {KiB(16).count, GiB(1).count},
            .example = "8MiB",
            .meaning = "bytes buffered for one connection, in both directions"},
    Setting{.path = "bounds.request_bytes",
            .slot = MakeSlot<&Settings::bounds, &BoundSettings::request_bytes>(),
            .range = {KiB(1).count, MiB(64).count},
            .example = "256KiB",
            .meaning = "body of one request, message or command"},
    Setting{.path = "bounds.header_bytes",
            .slot = MakeSlot<&Settings::bounds, &BoundSettings::header_bytes>(),
            .range = {KiB(1).count, MiB(1).count},
            .example = "32KiB",
            .meaning = "headers of one request, with their names"},
    Setting{.path = "bounds.header_fields",
            .slot = MakeSlot<&Settings::bounds, &BoundSettings::header_fields>(),
            .range = {10, 10'000},
            .example = "200",
            .meaning = "how many headers one request has"},
    Setting{.path = "bounds.checks",
            .slot = MakeSlot<&Settings::bounds, &BoundSettings::checks>(),
            .range = {1, 100'000},
            .example = "100",
            .meaning = "checks or descriptors in one request"},
    Setting{.path = "deadlines.idle",
            .slot = MakeSlot<&Settings::deadlines, &DeadlineSettings::idle>(),
            .range = {Ns(milliseconds{100}), Ns(hours{24})},
            .example = "1h",
            .meaning = "connection without a request in flight"},
    Setting{.path = "deadlines.header",
            .slot = MakeSlot<&Settings::deadlines, &DeadlineSettings::header>(),
            .range = kDeadlines,
            .example = "2s",
            .meaning =
                "from the first byte of a connection or a request to the end of the headers, "
                "the TLS handshake with them"},
    Setting{.path = "deadlines.body",
            .slot = MakeSlot<&Settings::deadlines, &DeadlineSettings::body>(),
            .range = kDeadlines,
            .example = "3s",
            .meaning = "from the end of the headers to the end of the body"},
    Setting{.path = "deadlines.write",
            .slot = MakeSlot<&Settings::deadlines, &DeadlineSettings::write>(),
            .range = kDeadlines,
            .example = "4s",
            .meaning = "peer that takes less than 1 KiB a second of a reply"},
    Setting{.path = "deadlines.age",
            .slot = MakeSlot<&Settings::deadlines, &DeadlineSettings::age>(),
            .range = {0, Ns(hours{24 * 30})},
            .example = "30m",
            .meaning = "a connection, however busy: the peer is asked to go, up to a tenth "
                       "earlier at random; 0s means never"},
    Setting{.path = "drain.delay",
            .slot = MakeSlot<&Settings::drain, &DrainSettings::delay>(),
            .range = kDrains,
            .example = "6s",
            .meaning = "on SIGTERM: not ready, but serving on, so that balancers can notice"},
    Setting{.path = "drain.deadline",
            .slot = MakeSlot<&Settings::drain, &DrainSettings::deadline>(),
            .range = kDrains,
            .example = "50s",
            .meaning = "from SIGTERM to the end, whatever is still open"},
    Setting{.path = "headers.profile",
            .slot = MakeSlot<&Settings::headers, &HeaderSettings::profile>(),
            .example = "x-ratelimit",
            .meaning = "which headers tell callers about their limits"},
    Setting{.path = "headers.retry_after_jitter",
            .slot = MakeSlot<&Settings::headers, &HeaderSettings::retry_after_jitter>(),
            .range = {0, Ns(minutes{10})},
            .example = "2s",
            .meaning = "up to so much is added to Retry-After at random, so that those refused "
                       "together do not come back together"},
    Setting{.path = "rls.dynamic_metadata",
            .slot = MakeSlot<&Settings::rls, &RlsSettings::dynamic_metadata>(),
            .example = "true",
            .meaning = "every reply to Envoy has dynamic metadata, not only where a rule has "
                       "`metadata`"},
    Setting{.path = "log.level",
            .slot = MakeSlot<&Settings::log, &LogSettings::level>(),
            .example = "debug",
            .meaning = "least important lines that are logged"},
    Setting{.path = "log.format",
            .slot = MakeSlot<&Settings::log, &LogSettings::format>(),
            .example = "json",
            .meaning = "text or JSON lines; auto is text on a terminal and JSON elsewhere"},
};

}  // namespace

std::span<const Setting> ServingRows() { return kRows; }

}  // namespace sluice
