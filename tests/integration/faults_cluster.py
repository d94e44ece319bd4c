"""Promises of nodes while servers of their cluster fail, slots move, or the cluster is split.

Prints latencies before, during and after the fault. docs/promises.md states what must hold.
"""

import contextlib
import os
import signal

from scene.store_faults import BREAKERS, go_on, recover, sources
from admission import Away
from recorder import latency_row
from redis_processes import Redis
from server import expect, run_tests, until
from store_scene import (DEADLINE_SECONDS, KEYS, NODES, StoreScene, expect_in_time,
                         expect_no_errors, needs_store, print_latencies, seed_of_run)

SEED = seed_of_run()
SHARDS = 3
PROBED = "fixed"  # the rule that the test itself checks; only the clients use the ledger
# Otherwise a cluster without a primary takes no writes at all before a failover.
SETTINGS = ("cluster-enabled yes", "cluster-node-timeout 1000", "repl-diskless-sync-delay 0",
            "cluster-require-full-coverage no")
SCRIPTS = 2  # one that decides, and one that counts nodes
# A busy machine must not count as an outage: every decision of the fallback is due to the fault.
PATIENT = ("--store-deadline", "5s")
RESHARDED = 2000  # slots


class Cluster:
    """Three primaries with one replica each."""

    def __init__(self, servers):
        self.servers = servers
        servers[0].call("--cluster", "create", *[each.address for each in servers],
                        "--cluster-replicas", "1", "--cluster-yes")
        until(self.is_whole, "the cluster is whole")
        self.primaries = [each for each in servers if role_of(each) == "master"]
        expect(len(self.primaries), SHARDS)

    @property
    def url(self):
        return "redis+cluster://" + ",".join(each.address for each in self.servers[:SHARDS])

    def is_whole(self):
        told = [each.call("CLUSTER", "INFO") for each in self.servers]
        links = [each.info("replication") for each in self.servers]
        return (all("cluster_state:ok" in each for each in told)
                and sum(link["role"] == "slave" for link in links) == SHARDS
                and all(link.get("master_link_status", "up") == "up" for link in links))

    def replica_of(self, primary):
        """Returns the only replica."""
        return next(each for each in self.servers
                    if each.info("replication").get("master_port") == str(primary.port))

    def primary_of(self, fleet):
        """Returns, for each caller, the primary that has its states and one of its keys."""
        found = {}

        def find(caller):
            before = [set(keys(each)) for each in self.primaries]
            expect(fleet.check(PROBED, caller)["source"], "redis")
            for primary, known in zip(self.primaries, before):
                for key in set(keys(primary)) - known:
                    found[caller] = (primary, key)
            return caller in found

        for number in range(KEYS):
            # A key that expires with its window at this moment exists again in the next one.
            until(lambda caller=f"k{number}": find(caller), f"the primary of k{number} is known")
        return found


@contextlib.contextmanager
def cluster():
    with contextlib.ExitStack() as stack:
        yield Cluster([stack.enter_context(Redis(*SETTINGS)) for _ in range(2 * SHARDS)])


def role_of(server):
    return server.info("replication")["role"]


def keys(server):
    return server.call("KEYS", "sluice:*").splitlines()


def id_of(server):
    return server.call("CLUSTER", "MYID")


def expect_no_cross_slot(fleet, servers):
    expect(fleet.metric("sluice_redis_replies_total", error="cross_slot"), 0, "CROSSSLOT")
    for server in servers:
        assert "errorstat_CROSSSLOT" not in server.info("errorstats")


def expect_scripts_taught_once(servers):
    """No connection loads a script twice into one server."""
    for server in servers:
        taught = server.calls("script|load")
        print(f"  {server.address}: scripts were loaded {taught} times, "
              f"{server.calls('evalsha')} ran")
        assert taught <= NODES * BREAKERS * SCRIPTS, f"{taught} scripts loaded at {server.address}"


def print_shard(title, asks):
    fallback = sum(ask.source == "fallback" for ask in asks)
    print(f"  {title:22}{len(asks):7}{fallback:9}"
          + "".join(f"{value:9.2f}" for value in latency_row(asks)), flush=True)


def expect_others_unaffected(load, is_hit):
    """The store decides every request outside of the affected shard."""
    for phase in ("before", "failover"):
        told = [ask for ask in load.asks_of(phase) if needs_store(ask)]
        print_shard(f"{phase}, its shard", [ask for ask in told if is_hit(ask)])
        print_shard(f"{phase}, others", [ask for ask in told if not is_hit(ask)])
    told = [ask for ask in load.asks if ask.rule != "here" and ask.source == "fallback"]
    expect(sum(not is_hit(ask) for ask in told), 0, "fallback of other shards")
    assert told, "nobody fell back"


def test_f5_a_primary_is_killed():
    with cluster() as servers, StoreScene(servers.url, flags=PATIENT) as fleet:
        primary_of = servers.primary_of(fleet)
        victim = primary_of["k0"][0]
        replica = servers.replica_of(victim)
        with fleet.record(SEED, "F5, a primary is killed") as load:
            go_on(load, "before", 3)
            load.phase("failover")
            victim.stop()
            until(lambda: role_of(replica) == "master", "its replica is promoted")
            recover(fleet, load, lambda: None, (PROBED, "k0"))
        expect_others_unaffected(load, lambda ask: primary_of[ask.key][0] is victim)
        expect_no_errors(load)
        alive = [each for each in servers.servers if each is not victim]
        expect_no_cross_slot(fleet, alive)
        expect_scripts_taught_once(alive)
        # The bound is the shares plus the writes that the replica had missed: at most a burst of
        # each.
        fleet.expect_bounds(load, Away(outages=1, unaware=1, forgot=1))
        fleet.expect_ledger(load, forgot=True)


def move_slot(servers, slot, source, target):
    """Moves a slot as resharding does, with the slot on two servers for a while."""
    expect(target.call("CLUSTER", "SETSLOT", slot, "IMPORTING", id_of(source)), "OK")
    expect(source.call("CLUSTER", "SETSLOT", slot, "MIGRATING", id_of(target)), "OK")
    yield
    while moving := source.call("CLUSTER", "GETKEYSINSLOT", slot, "100").split():
        source.call("MIGRATE", "127.0.0.1", str(target.port), "", "0", "5000", "KEYS", *moving)
    yield
    for each in (target, source, *servers.primaries):
        expect(each.call("CLUSTER", "SETSLOT", slot, "NODE", id_of(target)), "OK")


def reshard(servers, source, target):
    """Moves slots as operators do."""
    done = servers.servers[0].call(
        "--cluster", "reshard", servers.servers[0].address, "--cluster-from", id_of(source),
        "--cluster-to", id_of(target), "--cluster-slots", str(RESHARDED), "--cluster-yes")
    assert "Moving slot" in done, done[-500:]


def test_f5_slots_move():
    with cluster() as servers, StoreScene(servers.url, flags=PATIENT) as fleet:
        source, key = servers.primary_of(fleet)["k0"]
        target = next(each for each in servers.primaries if each is not source)
        slot = source.call("CLUSTER", "KEYSLOT", key)
        with fleet.record(SEED, "F5, slots move") as load:
            go_on(load, "before", 2)
            for _ in move_slot(servers, slot, source, target):
                go_on(load, "one slot", 2)
            load.phase("resharding")
            reshard(servers, source, target)
            go_on(load, "after", 2)
        print_latencies(load)
        replies = {kind: fleet.metric("sluice_redis_replies_total", error=kind)
                   for kind in ("ask", "moved", "try_again")}
        print(f"  {replies}, redirects {fleet.metric('sluice_redis_redirects_total'):.0f}")
        expect_no_errors(load)
        assert replies["ask"] > 0 and replies["moved"] > 0, replies
        expect(sum(ask.source == "fallback" for ask in load.asks), 0, "fallback")
        assert target.call("CLUSTER", "COUNTKEYSINSLOT", slot) != "0", "nothing came with the slot"
        expect_no_cross_slot(fleet, servers.servers)
        expect_scripts_taught_once(servers.servers)
        fleet.expect_bounds(load)
        fleet.expect_ledger(load)


def tell(servers, number):
    for server in servers:
        os.kill(server.process.pid, number)


@contextlib.contextmanager
def primary_of_k0(servers):
    """Finds it with other nodes, because those of the test have no time for it."""
    with StoreScene(servers.url, flags=PATIENT) as fleet:
        found = servers.primary_of(fleet)["k0"][0]
    yield found


def test_f6_a_minority_remains():
    with cluster() as servers, primary_of_k0(servers) as left, StoreScene(servers.url) as fleet:
        others = [each for each in servers.servers if each is not left]
        with fleet.record(SEED, "F6, a minority") as load:
            go_on(load, "before", 2)
            load.phase("splitting")
            tell(others, signal.SIGSTOP)
            until(lambda: "cluster_state:fail" in left.call("CLUSTER", "INFO"), "it knows")
            down = fleet.metric("sluice_redis_replies_total", error="cluster_down")
            go_on(load, "split", 6)
            down = fleet.metric("sluice_redis_replies_total", error="cluster_down") - down

            def mend():
                tell(others, signal.SIGCONT)
                until(lambda: "cluster_state:ok" in left.call("CLUSTER", "INFO"), "it is whole")

            mended = recover(fleet, load, mend, (PROBED, "k0"))
        print(f"  {down:.0f} replies CLUSTERDOWN in 6 s")
        expect_no_errors(load)
        assert down > 0, "nobody said CLUSTERDOWN"
        expect(sources(load, "split"), {"fallback"}, "who decides without a majority")
        expect_in_time(load, "split", DEADLINE_SECONDS)
        fleet.expect_bounds(load, Away(outages=1), end=mended)
        fleet.expect_bounds(load, Away(outages=1, unaware=1, forgot=1))
        fleet.expect_ledger(load, forgot=True)


def test_f6_a_primary_is_away_and_comes_back():
    with cluster() as servers, primary_of_k0(servers) as away, StoreScene(servers.url) as fleet:
        replica = servers.replica_of(away)
        with fleet.record(SEED, "F6, a primary is away") as load:
            go_on(load, "before", 2)
            load.phase("away")
            tell([away], signal.SIGSTOP)
            until(lambda: role_of(replica) == "master", "its replica is promoted")
            fleet.wait_for("redis", PROBED, "k0")
            go_on(load, "away", 2)

            def mend():
                tell([away], signal.SIGCONT)
                until(lambda: role_of(away) == "slave", "it is told that it is none")

            recover(fleet, load, mend, (PROBED, "k0"))
        expect_no_errors(load)
        fleet.expect_bounds(load, Away(outages=2, unaware=2, forgot=1))
        fleet.expect_ledger(load, forgot=True)


run_tests(globals())
