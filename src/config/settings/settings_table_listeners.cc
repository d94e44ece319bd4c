#include <array>

#include "config/settings/settings_table.h"

namespace sluice {
namespace {

// A token is sent in a header, which bounds its length; a shorter one could be guessed.
constexpr SettingRange kTokenLength = {16, 1024};
constexpr SettingRange kUids = {0, 4'294'967'294};  // the next value means no user

constexpr std::array kRows = {
    Setting{.path = "rules",
            .slot = MakeSlot<&Settings::rules>(),
            .change = SettingChange::kLive,
            .example = "/etc/sluice/rules",
            .meaning = "rule files, or directories of them"},
    Setting{.path = "listen",
            .slot = MakeSlot<&Settings::listen>(),
            .example = "unix:/run/sluice.sock",
            .meaning = "where requests are served; port 0 is any free one"},
    Setting{.path = "proxy_protocol",
            .slot = MakeSlot<&Settings::proxy_protocol>(),
            .example = "true",
            .meaning =
                "every TCP connection to `listen` begins with a PROXY protocol v2 header, and "
                "must come from one of `trusted_proxies`"},
    Setting{.path = "trusted_proxies",
            .slot = MakeSlot<&Settings::trusted_proxies>(),
            .example = "10.0.0.0/8",
            .meaning = "whose X-Forwarded-*, X-Original-*, Forwarded and PROXY headers count: "
                       "addresses, prefixes, and `unix` for Unix sockets"},
    Setting{.path = "core_dumps",
            .slot = MakeSlot<&Settings::core_dumps>(),
            .example = "true",
            .meaning = "let the system write core dumps, which hold keys, tokens and names of "
                       "users"},
    Setting{.path = "client_header",
            .slot = MakeSlot<&Settings::client_header>(),
            .example = "forwarded",
            .meaning = "which header of a trusted proxy names the client; with `either`, a request "
                       "in which both name different clients is refused"},
    Setting{.path = "unknown_domain",
            .slot = MakeSlot<&Settings::unknown_domain>(),
            .example = "refuse",
            .meaning = "what becomes of a request for a domain without rules, over Envoy's rate "
                       "limit service and forward auth"},
    Setting{.path = "admin.listen",
            .name = "admin",
            .slot = MakeSlot<&Settings::admin, &AdminSettings::listen>(),
            .example = "127.0.0.1:9191",
            .meaning = "health, metrics, rules and settings in force, level of the log; an "
                       "address that other machines reach needs a token or required client "
                       "certificates"},
    Setting{.path = "admin.token",
            .slot = MakeSlot<&Settings::admin, &AdminSettings::token>(),
            .range = kTokenLength,
            .example = "correct-horse-battery",
            .meaning = "what callers of the admin address must show as a bearer token; flags can "
                       "be seen by every user of the machine, so better in a file"},
    Setting{.path = "admin.token_file",
            .slot = MakeSlot<&Settings::admin, &AdminSettings::token_file>(),
            .example = "/run/secrets/admin_token",
            .meaning = "a file that holds `admin.token`"},
    Setting{.path = "admin.client_names",
            .slot = MakeSlot<&Settings::admin, &AdminSettings::client_names>(),
            .example = "prometheus.example.org",
            .meaning = "the same as `tls.client_names` for the admin address; none means those of "
                       "`tls.client_names`"},
    Setting{.path = "tls.certificate",
            .slot = MakeSlot<&Settings::tls, &TlsSettings::certificate>(),
            .change = SettingChange::kLive,
            .example = "/etc/sluice/server.pem",
            .meaning = "certificate chain in PEM; with it every TCP listener, the admin address, "
                       "too, speaks TLS, and Unix sockets stay plain"},
    Setting{.path = "tls.key",
            .slot = MakeSlot<&Settings::tls, &TlsSettings::key>(),
            .change = SettingChange::kLive,
            .example = "/etc/sluice/server.key",
            .meaning = "private key of the certificate in PEM"},
    Setting{.path = "tls.client_ca",
            .slot = MakeSlot<&Settings::tls, &TlsSettings::client_ca>(),
            .change = SettingChange::kLive,
            .example = "/etc/sluice/clients.pem",
            .meaning = "authorities in PEM by which certificates of clients are known (mTLS)"},
    Setting{.path = "tls.client_crl",
            .slot = MakeSlot<&Settings::tls, &TlsSettings::client_crl>(),
            .change = SettingChange::kLive,
            .example = "/etc/sluice/revoked.pem",
            .meaning = "revocation lists in PEM, one in force for each authority in a client's "
                       "chain; a client without such a list, or named in one, is refused"},
    Setting{.path = "tls.clients",
            .slot = MakeSlot<&Settings::tls, &TlsSettings::clients>(),
            .example = "optional",
            .meaning = "whether a client must show a certificate; one that is shown must be good"},
    Setting{.path = "tls.client_names",
            .slot = MakeSlot<&Settings::tls, &TlsSettings::client_names>(),
            .example = "gateway.example.org",
            .meaning = "names, of which a client's certificate must have one: DNS, where `*.` in "
                       "front is any one label, URI or IP address; none means any"},
    Setting{.path = "tls.min_version",
            .slot = MakeSlot<&Settings::tls, &TlsSettings::min_version>(),
            .example = "TLSv1.3",
            .meaning = "oldest version of TLS that is spoken"},
    Setting{.path = "callers.loopback",
            .slot = MakeSlot<&Settings::callers, &CallerSettings::loopback>(),
            .example = "true",
            .meaning =
                "every caller over TCP loopback may lift limits, for a trial: behind a proxy "
                "on this machine that is every client; without it only gRPC may"},
    Setting{.path = "callers.names",
            .slot = MakeSlot<&Settings::callers, &CallerSettings::names>(),
            .example = "billing.example.org",
            .meaning = "names in certificates of clients that may lift limits (reset, refund, "
                       "override), written as those of `tls.client_names`"},
    Setting{.path = "callers.token",
            .slot = MakeSlot<&Settings::callers, &CallerSettings::token>(),
            .range = kTokenLength,
            .example = "staple-battery-horse",
            .meaning = "a bearer token with which a caller may lift limits"},
    Setting{.path = "callers.token_file",
            .slot = MakeSlot<&Settings::callers, &CallerSettings::token_file>(),
            .example = "/run/secrets/caller_token",
            .meaning = "a file that holds `callers.token`"},
    Setting{.path = "callers.uids",
            .slot = MakeSlot<&Settings::callers, &CallerSettings::uids>(),
            .range = kUids,
            .example = "1000",
            .meaning = "users of this machine that may lift limits over a Unix socket, beside root "
                       "and the user that runs the server"},
};

}  // namespace

std::span<const Setting> ListenerRows() { return kRows; }

}  // namespace sluice
