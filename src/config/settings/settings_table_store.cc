#include <array>

#include "config/settings/settings_table.h"

namespace sluice {
namespace {

using std::chrono::hours;
using std::chrono::microseconds;
using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr std::int64_t Ns(Nanos length) { return length.count(); }

constexpr std::int64_t kCacheKeysMax = 100'000'000;

constexpr std::array kRows = {
    Setting{.path = "store.url",
            .name = "store",
            .slot = MakeSlot<&Settings::store, &StoreSettings::url>(),
            .example = "redis://redis.example.org:6379/0",
            .meaning = "where state is kept: memory, redis://, rediss://, redis+unix://, "
                       "redis+sentinel:// or redis+cluster://"},
    Setting{.path = "store.password",
            .slot = MakeSlot<&Settings::store, &StoreSettings::password>(),
            .range = {1, 1024},
            .example = "hunter2",
            .meaning = "password of the store that is not in its URL"},
    Setting{.path = "store.password_file",
            .slot = MakeSlot<&Settings::store, &StoreSettings::password_file>(),
            .example = "/run/secrets/store_password",
            .meaning = "a file that holds `store.password`"},
    Setting{.path = "store.memory",
            .name = "memory",
            .slot = MakeSlot<&Settings::store, &StoreSettings::memory>(),
            .range = {MiB(16).count, TiB(16).count},
            .example = "4GiB",
            .meaning = "most memory for states kept in this process; a hard cap"},
    Setting{.path = "store.cache_percent",
            .slot = MakeSlot<&Settings::store, &StoreSettings::cache_percent>(),
            .range = {1, 90},
            .example = "40",
            .meaning = "percent of `store.memory` for what a node remembers of keys in a remote "
                       "store: a quarter of it for leases, a half for eventual counts, a quarter "
                       "for the deny cache; states keep at least 16MiB"},
    Setting{.path = "store.lease_keys",
            .slot = MakeSlot<&Settings::store, &StoreSettings::lease_keys>(),
            .range = {1, kCacheKeysMax},
            .example = "1000000",
            .meaning = "maximum number of keys of `consistency: leased` that are leased at a time; "
                       "others are decided in the remote store"},
    Setting{.path = "store.eventual_keys",
            .slot = MakeSlot<&Settings::store, &StoreSettings::eventual_keys>(),
            .range = {1, kCacheKeysMax},
            .example = "1000000",
            .meaning = "maximum number of keys of `consistency: eventual` whose counts are kept "
                       "here; others are decided in the remote store"},
    Setting{.path = "store.deny_cache_keys",
            .slot = MakeSlot<&Settings::store, &StoreSettings::deny_cache_keys>(),
            .range = {1, kCacheKeysMax},
            .example = "1000000",
            .meaning = "maximum number of keys whose refusals by the remote store are remembered"},
    Setting{.path = "store.snapshot",
            .slot = MakeSlot<&Settings::store, &StoreSettings::snapshot>(),
            .example = "/var/lib/sluice/states",
            .meaning = "file to which the states in memory are written on shutdown and from which "
                       "they are restored; none keeps nothing"},
    Setting{.path = "store.deadline",
            .slot = MakeSlot<&Settings::store, &StoreSettings::deadline>(),
            .range = {Ns(microseconds{100}), Ns(seconds{10})},
            .example = "3ms",
            .meaning = "how long a remote store may take before the rule's `on_store_failure` "
                       "decides; never past the caller's own deadline"},
    Setting{.path = "store.sync_interval",
            .slot = MakeSlot<&Settings::store, &StoreSettings::sync_interval>(),
            .range = {Ns(milliseconds{1}), Ns(hours{1})},
            .example = "250ms",
            .meaning = "how often counts of `consistency: eventual` are pushed and pulled"},
    Setting{.path = "store.key_secret",
            .slot = MakeSlot<&Settings::store, &StoreSettings::key_secret>(),
            .range = {16, 1024},
            .example = "the-same-on-every-node",
            .meaning = "what keys in Redis are hashed under, the same on every node; made once in "
                       "Redis where it is not given"},
    Setting{.path = "store.key_secret_file",
            .slot = MakeSlot<&Settings::store, &StoreSettings::key_secret_file>(),
            .example = "/run/secrets/key_secret",
            .meaning = "a file that holds `store.key_secret`"},
    Setting{.path = "store.key_prefix",
            .slot = MakeSlot<&Settings::store, &StoreSettings::key_prefix>(),
            .example = "shop:",
            .meaning = "what all keys in Redis begin with, the same on every node; another one for "
                       "each fleet that shares a Redis"},
    Setting{.path = "store.nodes",
            .slot = MakeSlot<&Settings::store, &StoreSettings::nodes>(),
            .range = {1, 10'000},
            .example = "4",
            .meaning = "how many nodes share the limits, for a node that starts; after some "
                       "seconds they count each other"},
    Setting{.path = "store.nodes_file",
            .slot = MakeSlot<&Settings::store, &StoreSettings::nodes_file>(),
            .example = "/var/lib/sluice/nodes",
            .meaning = "file that keeps how many nodes were last counted, for a node that starts "
                       "while the store is away; where it is not given it is the file of "
                       "`store.snapshot` with `.nodes` added, if there is one"},
};

}  // namespace

std::span<const Setting> StoreRows() { return kRows; }

}  // namespace sluice
