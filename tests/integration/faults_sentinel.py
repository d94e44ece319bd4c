"""Promises of nodes while sentinels replace the primary of their Redis.

Prints latencies before, during and after the failover. docs/promises.md states what must hold.
"""

import contextlib
import subprocess
import threading
import time

from scene.store_faults import go_on, recover
from admission import Away
from redis_processes import Redis, Sentinel
from server import DEADLINE_SECONDS, expect, run_tests, until
from store_scene import DEADLINE_SECONDS as STORE_SECONDS
from store_scene import (NODES, StoreScene, expect_in_time, expect_no_errors, print_latencies,
                         seed_of_run)

SEED = seed_of_run()
QUORUM = 2
SWITCH_SECONDS = 1.0  # maximum time from the failover until nodes write to the new primary


class Switches:
    """Receives a notification from a sentinel when it names another primary."""

    def __init__(self, sentinel):
        self.at = None
        self.process = subprocess.Popen(
            ["redis-cli", "-p", str(sentinel.port), "SUBSCRIBE", "+switch-master"],
            stdout=subprocess.PIPE, text=True)
        expect(self.process.stdout.readline().strip(), "subscribe")
        self.thread = threading.Thread(target=self.listen, daemon=True)
        self.thread.start()

    def listen(self):
        for line in self.process.stdout:
            if line.startswith("main 127.0.0.1"):
                self.at = time.monotonic()
                return

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.kill()
        self.process.wait(DEADLINE_SECONDS)
        self.thread.join()
        self.process.stdout.close()


@contextlib.contextmanager
def group():
    """Runs a primary, two replicas, and three sentinels that know each other."""
    with contextlib.ExitStack() as stack:
        primary = stack.enter_context(Redis())
        replica_of = f"replicaof 127.0.0.1 {primary.port}"
        replicas = [stack.enter_context(Redis(replica_of, "repl-diskless-sync-delay 0"))
                    for _ in range(2)]
        until(lambda: all(each.info("replication")["master_link_status"] == "up"
                          for each in replicas), "the replicas follow")
        sentinels = [stack.enter_context(Sentinel(primary, QUORUM)) for _ in range(3)]
        until(lambda: all(knows_all(each) for each in sentinels), "the sentinels know each other")
        yield primary, replicas, sentinels


def knows_all(sentinel):
    about = sentinel.call("SENTINEL", "MASTER", "main").split("\n")
    known = dict(zip(about[::2], about[1::2]))
    return known["num-other-sentinels"] == "2" and known["num-slaves"] == "2"


def first_write(server, since):
    """Waits until a promoted server has decided something; returns when that was."""
    until(lambda: server.calls("evalsha") > since, "the new primary decides")
    return time.monotonic()


def promoted(replicas):
    """Waits until one of the replicas has become the primary, and returns it."""
    until(lambda: any(each.info("replication")["role"] == "master" for each in replicas),
          "a replica is promoted")
    return next(each for each in replicas if each.info("replication")["role"] == "master")


def url_of(sentinels):
    return "redis+sentinel://" + ",".join(each.address for each in sentinels) + "/main"


def fail_over(load, primary, replicas, sentinels):
    """Kills the primary. Returns how long nodes took to write to the named new one, and that."""
    with Switches(sentinels[0]) as switches:
        load.phase("failover")
        primary.stop()
        new = promoted(replicas)
        wrote = first_write(new, new.calls("evalsha"))
        until(lambda: switches.at is not None, "a sentinel tells of the switch")
    return wrote - switches.at, new


def test_f4_the_primary_is_killed():
    with group() as (primary, replicas, sentinels):
        with StoreScene(url_of(sentinels)) as fleet:
            with fleet.record(SEED, "F4, the primary is killed") as load:
                go_on(load, "before", 4)
                taken, new = fail_over(load, primary, replicas, sentinels)
                recover(fleet, load, lambda: None)
            print(f"  nodes write to the new primary {taken * 1e3:.0f} ms after a sentinel told "
                  "of it")
            expect_no_errors(load)
            expect_in_time(load, "failover", STORE_SECONDS)
            stood = max(ask.latency for ask in load.asks_of("failover") if ask.rule == "here")
            assert taken < SWITCH_SECONDS + stood, f"{taken} s, the machine stood still {stood} s"
            # The bound is the shares plus the writes that the replica had missed: at most a burst
            # of each.
            fleet.expect_bounds(load, Away(outages=1, unaware=1, forgot=1))
            fleet.expect_ledger(load, forgot=True)
            expect(fleet.metric("sluice_redis_primary_switches_total") >= NODES, True)
            expect_old_primary_alone(fleet, primary, new)


def expect_old_primary_alone(fleet, primary, new):
    """Restarts the old primary as a primary, before it is reconfigured: no node writes to it."""
    primary.start_again()
    with fleet.record(SEED + 1, "F4, the old primary is back") as load:
        go_on(load, "old", 1)
        until(lambda: primary.info("replication")["role"] == "slave", "it is told that it is none")
        go_on(load, "old", 1)
        expect(primary.calls("evalsha"), 0, "scripts that the old primary ran")
    print_latencies(load)
    expect_no_errors(load)
    assert new.calls("evalsha") > 0


def test_f4_a_failover_is_requested():
    with group() as (primary, replicas, sentinels):
        with StoreScene(url_of(sentinels)) as fleet:
            with fleet.record(SEED, "F4, the primary is told to go") as load:
                go_on(load, "before", 2)
                load.phase("failover")
                expect(sentinels[0].call("SENTINEL", "FAILOVER", "main"), "OK")
                new = promoted(replicas)
                first_write(new, new.calls("evalsha"))
                recover(fleet, load, lambda: None)
            expect_no_errors(load)
            expect_in_time(load, "failover", STORE_SECONDS)
            fleet.expect_bounds(load, Away(outages=1, unaware=1, forgot=1))
            fleet.expect_ledger(load, forgot=True)


run_tests(globals())
