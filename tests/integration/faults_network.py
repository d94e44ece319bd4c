"""What nodes promise while their Redis is killed, hangs, is slow, or forgets.

Prints how late answers were before, during and after. docs/promises.md says what must hold.
"""

import os
import signal

from scene.neighbours import Neighbours
from scene.store_faults import BREAKERS, STEADY_SECONDS, fleet_of, go_on, recover, sources
from fault_proxy import FaultProxy, Harm
from redis_processes import Redis
from server import expect, forget_peak, memory, run_tests
from store_scene import (DEADLINE_SECONDS, expect_in_time, expect_no_errors, print_latencies,
                         seed_of_run)

SEED = seed_of_run()
PIPE_MOST = 4096  # commands that are under way on one connection
# A machine that is busy is no outage.
PATIENT = ("--store-deadline", "5s")


def test_f1_redis_is_killed():
    with Redis() as redis, fleet_of(redis) as fleet:
        with Neighbours(fleet.nodes[0]), fleet.record(SEED) as load:
            go_on(load, "before", 5)
            redis.stop()
            go_on(load, "during", 10)
            mended = recover("F1, killed", fleet, load, redis.start_again)
        expect_no_errors(load)
        expect(sources(load, "during"), {"fallback"}, "who decides while Redis is dead")
        expect_in_time(load, "during", DEADLINE_SECONDS)
        fleet.expect_bounds(load, outages=1, end=mended)
        fleet.expect_bounds(load, outages=1, unaware=1)
        fleet.expect_ledger(load, forgot=True)


def test_f2_redis_hangs():
    with Redis() as redis, fleet_of(redis) as fleet:
        with Neighbours(fleet.nodes[0]), fleet.record(SEED) as load:
            go_on(load, "before", 5)
            before = [memory(node, "VmRSS") for node in fleet.nodes]
            for node in fleet.nodes:
                forget_peak(node)
            os.kill(redis.process.pid, signal.SIGSTOP)
            go_on(load, "during", 30)
            unanswered = fleet.metric("sluice_redis_overdue_total")
            mended = recover("F2, hung", fleet, load,
                             lambda: os.kill(redis.process.pid, signal.SIGCONT))
            more = max(memory(node, "VmHWM") - was for node, was in zip(fleet.nodes, before))
        late = fleet.metric("sluice_redis_late_replies_total")
        print(f"  memory +{more / 2**20:.1f} MiB; {unanswered:.0f} commands overdue, "
              f"{late:.0f} late replies")
        expect_no_errors(load)
        expect_in_time(load, "during", DEADLINE_SECONDS)
        assert more < 64 << 20, f"{more} bytes more"
        assert unanswered < PIPE_MOST * BREAKERS, f"{unanswered} commands for nobody"
        fleet.expect_bounds(load, outages=1, end=mended)
        fleet.expect_bounds(load, outages=1, unaware=1)
        fleet.expect_ledger(load)


def slow(title, harm, opens):
    """A Redis that is so slow, and whether breakers must open."""
    seconds = 12
    with Redis() as redis, FaultProxy(redis, seed=SEED) as proxy, fleet_of(proxy) as fleet:
        with Neighbours(fleet.nodes[0]), fleet.record(SEED) as load:
            go_on(load, "before", 2)
            opened = fleet.metric("sluice_redis_breaker_opened_total")
            proxy.set(harm)
            go_on(load, "during", seconds)
            opened = fleet.metric("sluice_redis_breaker_opened_total") - opened
            recover(f"F3, {title}", fleet, load, proxy.set)
        print(f"  breakers opened {opened:.0f} times")
        expect_no_errors(load)
        expect_in_time(load, "during", DEADLINE_SECONDS)
        assert not opens or opened >= len(fleet.nodes), f"breakers opened {opened} times"
        most = len(fleet.nodes) * BREAKERS * (2 + seconds / STEADY_SECONDS)
        assert opened <= most, f"breakers opened {opened} times, at most {most}"
        # All breakers may open once, or any of them so often.
        outages = 1 + max(0, opened - len(fleet.nodes) * BREAKERS)
        fleet.expect_bounds(load, outages, unaware=outages)
        fleet.expect_ledger(load)


def test_f3_redis_is_3_ms_late():
    slow("3 ms late", Harm(delay=0.003), opens=False)


def test_f3_redis_is_10_ms_late():
    slow("10 ms late", Harm(delay=0.010), opens=True)


def test_f3_redis_is_100_ms_late():
    slow("100 ms late", Harm(delay=0.100), opens=True)


def test_f3_redis_is_late_at_times():
    slow("1 to 9 ms late", Harm(delay=0.001, jitter=0.008), opens=False)


def forget(*command):
    with Redis() as redis, fleet_of(redis, PATIENT) as fleet:
        with Neighbours(fleet.nodes[0]), fleet.record(SEED) as load:
            go_on(load, "before", 4)
            loaded = fleet.metric("sluice_redis_scripts_loaded_total")
            expect(redis.call(*command), "OK")
            go_on(load, "after", 6)
            loaded = fleet.metric("sluice_redis_scripts_loaded_total") - loaded
        print_latencies(f"F7, {' '.join(command)}", load)
        expect_no_errors(load)
        expect(sources(load, "after"), {"redis"}, "who decides after it forgot")
        is_script = command[0] == "SCRIPT"  # then no state is lost
        expect(loaded > 0, is_script, f"{loaded} scripts were loaded")
        fleet.expect_bounds(load, unaware=0 if is_script else 1)
        fleet.expect_ledger(load, forgot=not is_script)


def test_f7_redis_is_emptied():
    forget("FLUSHALL")


def test_f7_a_database_is_emptied():
    forget("FLUSHDB")


def test_f7_scripts_are_forgotten():
    forget("SCRIPT", "FLUSH")


run_tests(globals())
