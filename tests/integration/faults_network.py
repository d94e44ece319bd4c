"""Promises of nodes while their Redis is killed, hangs, is slow, or loses its data.

Prints latencies before, during and after the fault. docs/promises.md states what must hold.
"""

import os
import signal

from scene.neighbours import Neighbours
from scene.store_faults import (BREAKERS, STEADY_SECONDS, expect_near, fleet_of, go_on,
                                near_sources, recover, sources)
from admission import Away
from fault_proxy import FaultProxy, Harm
from redis_processes import Redis
from server import expect, forget_peak, memory, run_tests
from store_scene import (DEADLINE_SECONDS, NEAR, expect_in_time, expect_no_errors,
                         print_latencies, seed_of_run)

SEED = seed_of_run()
SLOW_SECONDS = 12
PIPE_MOST = 4096  # commands in flight on one connection
# A busy machine must not count as an outage.
PATIENT = ("--store-deadline", "5s")


def test_f1_redis_is_killed():
    with Redis() as redis, fleet_of(redis) as fleet:
        with Neighbours(fleet.nodes[0]), fleet.record(SEED, "F1, killed") as load:
            go_on(load, "before", 5)
            redis.stop()
            go_on(load, "during", 10)
            mended = recover(fleet, load, redis.start_again)
        expect_no_errors(load)
        expect(sources(load, "during"), {"fallback"}, "who decides while Redis is dead")
        expect_near(load, "before")
        for rule in NEAR:
            expect(near_sources(load, "during", rule)["redis"], 0, f"{rule}, while Redis is dead")
        expect_in_time(load, "during", DEADLINE_SECONDS)
        fleet.expect_bounds(load, Away(outages=1), end=mended)
        fleet.expect_bounds(load, Away(outages=1, unaware=1, forgot=1))
        fleet.expect_ledger(load, forgot=True)


def test_f2_redis_hangs():
    with Redis() as redis, fleet_of(redis) as fleet:
        with Neighbours(fleet.nodes[0]), fleet.record(SEED, "F2, hung") as load:
            go_on(load, "before", 5)
            before = [memory(node, "VmRSS") for node in fleet.nodes]
            for node in fleet.nodes:
                forget_peak(node)
            os.kill(redis.process.pid, signal.SIGSTOP)
            go_on(load, "during", 30)
            unanswered = fleet.metric("sluice_redis_overdue_total")
            mended = recover(fleet, load,
                             lambda: os.kill(redis.process.pid, signal.SIGCONT))
            more = max(memory(node, "VmHWM") - was for node, was in zip(fleet.nodes, before))
        late = fleet.metric("sluice_redis_late_replies_total")
        print(f"  memory +{more / 2**20:.1f} MiB; {unanswered:.0f} commands overdue, "
              f"{late:.0f} late replies")
        expect_no_errors(load)
        expect_in_time(load, "during", DEADLINE_SECONDS)
        assert more < 64 << 20, f"{more} bytes more"
        assert unanswered < PIPE_MOST * BREAKERS, f"{unanswered} commands for nobody"
        fleet.expect_bounds(load, Away(outages=1), end=mended)
        fleet.expect_bounds(load, Away(outages=1, unaware=1))
        fleet.expect_ledger(load)


def slow(title, delay, opens, jitter=0.0):
    """Delays Redis by this many seconds. `opens`: whether breakers must open (True), must not
    (False), or may (None)."""
    with Redis() as redis, FaultProxy(redis, seed=SEED) as proxy, fleet_of(proxy) as fleet:
        with Neighbours(fleet.nodes[0]), fleet.record(SEED, f"F3, {title}") as load:
            go_on(load, "before", 2)
            opened = fleet.metric("sluice_redis_breaker_opened_total")
            proxy.set(Harm(delay=delay, jitter=jitter))
            go_on(load, "during", SLOW_SECONDS)
            opened = fleet.metric("sluice_redis_breaker_opened_total") - opened
            recover(fleet, load, proxy.set)
        print(f"  {load.title}: breakers opened {opened:.0f} times while it was")
        expect_no_errors(load)
        expect_in_time(load, "during", DEADLINE_SECONDS)
        expect_opened(fleet, load, opened, opens, DEADLINE_SECONDS - delay)
        # If all replies are late, breakers open together; if no breaker opened, only a few were
        # late.
        is_once = opens or opened == 0
        fleet.expect_bounds(load, away_while_slow(fleet.limits["tokens"], is_once))
        fleet.expect_ledger(load)


def expect_opened(fleet, load, opened, opens, spare):
    """Breakers opened if they had to, but not so often that they flap, and not at all if they must
    not. They may also open whenever the machine stalled for longer than the `spare` seconds that
    Redis had left, as the requests that never use the store show."""
    if opens:
        assert opened >= len(fleet.nodes), f"breakers opened {opened} times"
    breakers = len(fleet.nodes) * BREAKERS
    most = breakers * (2 + SLOW_SECONDS / STEADY_SECONDS)
    if opens is False:
        stalls = load.stalls("during", spare)
        print(f"  {load.title}: the machine stood still {stalls} times")
        most = min(most, breakers * stalls)
    assert opened <= most, f"breakers opened {opened} times, at most {most}"


def away_while_slow(limit, is_once):
    """Shares keep what was charged to them, so they count once however often breakers open. The
    number of openings is not needed either: unless Redis is away exactly once, the units that
    return in it are spent beside the shares, at most those that return while it is slow."""
    comes_back = SLOW_SECONDS * limit.count // limit.seconds // limit.burst
    return Away(outages=1, unaware=1 if is_once else comes_back)


def test_f3_redis_is_3_ms_late():
    slow("3 ms late", 0.003, opens=False)


def test_f3_redis_is_10_ms_late():
    slow("10 ms late", 0.010, opens=True)


def test_f3_redis_is_100_ms_late():
    slow("100 ms late", 0.100, opens=True)


def test_f3_redis_is_late_at_times():
    slow("1 to 9 ms late", 0.001, opens=None, jitter=0.008)


def forget(*command):
    with Redis() as redis, fleet_of(redis, PATIENT) as fleet:
        title = f"F7, `{' '.join(command)}`"
        with Neighbours(fleet.nodes[0]), fleet.record(SEED, title) as load:
            go_on(load, "before", 4)
            loaded = fleet.metric("sluice_redis_scripts_loaded_total")
            expect(redis.call(*command), "OK")
            go_on(load, "after", 6)
            loaded = fleet.metric("sluice_redis_scripts_loaded_total") - loaded
        print_latencies(load)
        expect_no_errors(load)
        expect(sources(load, "after"), {"redis"}, "who decides after it forgot")
        is_script = command[0] == "SCRIPT"  # then no state is lost
        expect(loaded > 0, is_script, f"{loaded} scripts were loaded")
        expect_near(load, "after")
        fleet.expect_bounds(load, Away(forgot=0 if is_script else 1))
        fleet.expect_ledger(load, forgot=not is_script)


def test_f7_redis_is_emptied():
    forget("FLUSHALL")


def test_f7_a_database_is_emptied():
    forget("FLUSHDB")


def test_f7_scripts_are_forgotten():
    forget("SCRIPT", "FLUSH")


run_tests(globals())
