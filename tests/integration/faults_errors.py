"""Promises of nodes while their Redis answers with errors, or loses keys.

Prints latencies before, during and after the fault. docs/promises.md states what must hold.
"""

import collections
import dataclasses
import os
import re
import subprocess
import threading
from typing import Callable

from scene.store_faults import BREAKERS, go_on, recover
from admission import Away
from redis_processes import Redis
from server import expect, run_tests, until
from store_scene import (DEADLINE_SECONDS, NODES, StoreScene, expect_in_time, expect_no_errors,
                         print_latencies, seed_of_run)

SEED = seed_of_run()
FAULT_SECONDS = 8
# A busy machine must not count as an outage.
PATIENT = ("--store-deadline", "5s")
ATTEMPTS_MOST = 5  # per second and worker


@dataclasses.dataclass
class Fault:
    """An error of Redis, by its code and by the label of the metric."""

    title: str
    word: str
    label: str
    begin: Callable[[], None]
    end: Callable[[], None]
    forgets: bool = False


def errors_told(redis, word):
    """Returns how often Redis has replied with that error, by its own count."""
    count = redis.info("errorstats").get(f"errorstat_{word}", "count=0")
    return int(re.search(r"count=(\d+)", count).group(1))


def connections_made(redis):
    return int(redis.info("stats")["total_connections_received"])


def endure(fault, redis, url=""):
    """Injects a fault under load: no client sees an error, the error is counted by its kind, Redis
    gets few requests while it lasts, and everything recovers after it."""
    with StoreScene(url or f"redis://{redis.address}") as fleet:
        with fleet.record(SEED, f"F8, {fault.title}") as load:
            go_on(load, "before", 2)
            replies = fleet.metric("sluice_redis_replies_total", error=fault.label)
            errors, connects = errors_told(redis, fault.word), connections_made(redis)
            fault.begin()
            go_on(load, "during", FAULT_SECONDS)
            mended = recover(fleet, load, fault.end)
        told = fleet.metric("sluice_redis_replies_total", error=fault.label) - replies
        if not fault.forgets:  # otherwise its counters have restarted
            expect_few_attempts(fault, errors_told(redis, fault.word) - errors,
                                connections_made(redis) - connects)
        print(f"  {told:.0f} replies were counted as {fault.label}", flush=True)
        expect_no_errors(load)
        assert told > 0, f"no reply was counted as {fault.label}"
        assert told / FAULT_SECONDS / NODES / BREAKERS < ATTEMPTS_MOST, f"{told} attempts"
        assert sum(ask.source == "fallback" for ask in load.asks_of("during")) > 100
        expect_in_time(load, "during", DEADLINE_SECONDS)
        fleet.expect_bounds(load, Away(outages=1), end=mended)
        fleet.expect_bounds(load, Away(outages=1, unaware=1, forgot=int(fault.forgets)))
        fleet.expect_ledger(load, fault.forgets)


def expect_few_attempts(fault, errors, connects):
    """Redis was not called in a loop, by its own counts. Some of the connections are the test's."""
    rate = max(errors, connects) / FAULT_SECONDS / NODES / BREAKERS
    print(f"  Redis told {fault.word} {errors} times, over {connects} connections: {rate:.2f} "
          "attempts a second of each worker")
    assert errors > 0, f"Redis never said {fault.word}"
    assert rate < ATTEMPTS_MOST, f"{rate} attempts a second"


def test_f8_memory_is_full():
    with Redis("maxmemory-policy noeviction") as redis:
        def bound(most):
            expect(redis.call("CONFIG", "SET", "maxmemory", most), "OK")

        endure(Fault("memory is full", "OOM", "out_of_memory", lambda: bound("1"),
                     lambda: bound("0")), redis)


def test_f8_it_is_read_only():
    with Redis() as redis:
        # The primary does not exist, so the replica keeps its data.
        endure(Fault("it is read-only", "READONLY", "read_only",
                     lambda: redis.call("REPLICAOF", "127.0.0.1", "1"),
                     lambda: redis.call("REPLICAOF", "NO", "ONE")), redis)


def test_f8_a_script_does_not_end():
    with Redis("busy-reply-threshold 100") as redis:
        def begin():
            subprocess.Popen(["redis-cli", "-p", str(redis.port), "EVAL", "while true do end", "0"],
                             stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)

        endure(Fault("a script does not end", "BUSY", "busy", begin,
                     lambda: until(lambda: redis.call("SCRIPT", "KILL") == "OK", "it ends")), redis)


def test_f8_it_loads():
    slowly = ("key-load-delay 300", "loading-process-events-interval-bytes 1024")
    with Redis(*slowly) as redis:
        def begin():
            fill = "for i = 1, 20000 do redis.call('SET', 'other:' .. i, 'v') end return 'OK'"
            expect(redis.call("EVAL", fill, "0"), "OK")
            expect(redis.call("SAVE"), "OK")
            redis.stop()
            redis.start_again()
            assert redis.info("persistence")["loading"] == "1", "it has loaded all already"

        def end():
            redis.call("CONFIG", "SET", "key-load-delay", "0")
            until(lambda: redis.info("persistence")["loading"] == "0", "it has loaded")

        endure(Fault("it loads", "LOADING", "loading", begin, end, forgets=True), redis)


def test_f8_it_cannot_save():
    with Redis() as redis:
        place = os.path.join(redis.folder.name, "dump.rdb")

        def save():
            redis.call("BGSAVE")
            until(lambda: redis.info("persistence")["rdb_bgsave_in_progress"] == "0", "it is done")

        def begin():
            os.makedirs(os.path.join(place, "in the way"))
            expect(redis.call("CONFIG", "SET", "save", "3600 1000000"), "OK")
            save()

        def end():
            os.rmdir(os.path.join(place, "in the way"))
            os.rmdir(place)
            save()

        endure(Fault("it cannot save", "MISCONF", "misconfigured", begin, end), redis)


def test_f8_rights_are_taken():
    with Redis() as redis:
        endure(Fault("rights are taken", "NOPERM", "no_permission",
                     lambda: redis.call("ACL", "SETUSER", "default", "-evalsha"),
                     lambda: redis.call("ACL", "SETUSER", "default", "+evalsha")), redis)


def test_f8_the_password_is_changed():
    with Redis(password="first") as redis:
        def change(password):
            expect(redis.call("CONFIG", "SET", "requirepass", password), "OK")
            redis.password = password
            redis.call("CLIENT", "KILL", "TYPE", "normal")

        endure(Fault("the password is changed", "WRONGPASS", "wrong_password",
                     lambda: change("second"), lambda: change("first")), redis,
               f"redis://:first@{redis.address}")


def evict(redis):
    """Leaves so little memory that keys are evicted."""
    used = int(redis.info("memory")["used_memory"])
    fill = "for i = 1, 2000 do redis.call('SET', 'other:' .. i, ('v'):rep(1000)) end return 'OK'"
    expect(redis.call("CONFIG", "SET", "maxmemory", str(used + (1 << 20))), "OK")
    expect(redis.call("EVAL", fill, "0"), "OK")


class Evictions:
    """Receives notifications of the keys that a Redis evicts."""

    def __init__(self, redis):
        expect(redis.call("CONFIG", "SET", "notify-keyspace-events", "Ee"), "OK")
        self.names = []
        self.process = subprocess.Popen(
            ["redis-cli", "-p", str(redis.port), "SUBSCRIBE", "__keyevent@0__:evicted"],
            stdout=subprocess.PIPE, text=True)
        self.process.stdout.readline()  # subscribed from now on
        self.thread = threading.Thread(target=self.listen, daemon=True)
        self.thread.start()

    def listen(self):
        for line in self.process.stdout:
            if line.startswith(("sluice:", "other:")):
                self.names.append(line.strip())

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.kill()
        self.process.wait()
        self.thread.join()
        self.process.stdout.close()

    def most_of_a_key(self):
        """Returns the maximum number of evictions of one of our keys."""
        return max(collections.Counter(
            name for name in self.names if name.startswith("sluice:")).values(), default=0)


def said_of_eviction(node):
    """Returns the only line about eviction in the node's log."""
    node.stop()
    node.line("ended")
    told = [line for line in node.lines if "store_evicts" in line]
    expect(len(told), 1, "lines about eviction")
    return told[0]


def evicted_keys(redis):
    return int(redis.info("stats")["evicted_keys"])


def test_f9_keys_are_evicted():
    with Redis("maxmemory 100mb", "maxmemory-policy allkeys-lru") as redis:
        with StoreScene(f"redis://{redis.address}", flags=PATIENT) as fleet:
            until(lambda: fleet.metric("sluice_redis_may_evict") == NODES, "it is seen")
            with Evictions(redis) as evictions:
                with fleet.record(SEED, "F9, keys are evicted") as load:
                    go_on(load, "before", 2)
                    load.phase("eviction")
                    evict(redis)
                    until(lambda: all(node.metric("sluice_redis_evicted_keys_total") > 0
                                      for node in fleet.nodes), "evictions are counted")
                    go_on(load, "after", 6)
                # Nodes still send heartbeats, which may evict further keys.
                until(lambda: len(evictions.names) == evicted_keys(redis),
                      "all of them are heard of")
            until(lambda: fleet.metric("sluice_redis_evicted_keys_total")
                  == NODES * evicted_keys(redis), "each node has counted all of them")
            print_latencies(load)
            print(f"  {load.title}: {evicted_keys(redis)}, of ours at most "
                  f"{evictions.most_of_a_key()} times")
            expect_no_errors(load)
            # The number is capped so that the load would still exceed the bound.
            forgot = min(evictions.most_of_a_key(), 3)
            fleet.expect_bounds(load, Away(forgot=forgot))
            fleet.expect_ledger(load, forgot=True)
            for node in fleet.nodes:
                told = said_of_eviction(node)
                assert "maxmemory-policy is allkeys-lru, maxmemory 104857600 bytes" in told, told


def test_f9_a_redis_without_eviction_causes_no_warning():
    with Redis("maxmemory 100mb", "maxmemory-policy noeviction") as redis:
        with StoreScene(f"redis://{redis.address}", nodes=1) as fleet:
            expect(fleet.metric("sluice_redis_may_evict"), 0)
            expect(redis.call("CONFIG", "SET", "maxmemory-policy", "volatile-lru"), "OK")
            until(lambda: fleet.metric("sluice_redis_may_evict") == 1, "it is seen")
            assert "volatile-lru" in said_of_eviction(fleet.nodes[0])


run_tests(globals())
