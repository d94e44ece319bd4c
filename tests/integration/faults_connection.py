"""Promises of nodes while connections to their Redis are reset, closed, stalled, or corrupted.

Prints latencies before, during and after the fault. docs/promises.md states what must hold.
"""

from scene.neighbours import Neighbours
from scene.store_faults import fleet_of, go_on, recover
from admission import Away
from fault_proxy import FaultProxy, Harm
from redis_processes import Redis
from server import run_tests
from store_scene import DEADLINE_SECONDS, expect_in_time, expect_no_errors, seed_of_run

SEED = seed_of_run()
CONNECTS_PER_SECOND = 20  # maximum per node
SECONDS = 4  # duration of the fault


def spoil(title, harm, act=lambda proxy: None):
    """Applies harm to connections and calls `act` once per second meanwhile."""
    with Redis() as redis, FaultProxy(redis, seed=SEED) as proxy, fleet_of(proxy) as fleet:
        with Neighbours(fleet.nodes[0]), fleet.record(SEED, title) as load:
            go_on(load, "before", 2)
            proxy.set(harm)
            for _ in range(SECONDS):
                act(proxy)
                go_on(load, "during", 1)
            recover(fleet, load, proxy.set)
        counts = proxy.counts()
        print(f"  {counts}")
        most = CONNECTS_PER_SECOND * len(fleet.nodes) * SECONDS
        assert counts["connects"] <= most, f"{counts['connects']} connections, at most {most}"
        expect_no_errors(load)
        expect_in_time(load, "during", DEADLINE_SECONDS)
        # The number is capped so that the load would still exceed the bound.
        spoilt = min(counts["flips"], 50)
        fleet.expect_bounds(load, Away(outages=1, unaware=1, spoilt=spoilt))
        fleet.expect_ledger(load)


def test_connections_are_reset():
    spoil("reset", Harm(), FaultProxy.reset)


def test_connections_are_half_closed():
    spoil("half closed", Harm(), FaultProxy.half_close)


def test_connections_are_reset_in_the_middle_of_a_reply():
    spoil("reset after 1000 bytes", Harm(reset_after=1000))


def test_connections_end_in_the_middle_of_a_reply():
    spoil("half closed after 1000 bytes", Harm(half_close_after=1000))


def test_connections_fall_silent():
    spoil("silent after 1000 bytes", Harm(blackhole_after=1000))


def test_connections_stall():
    spoil("stalled", Harm(stall=True))


def test_connections_are_refused():
    spoil("refused", Harm(refuse=True), FaultProxy.reset)


def test_bits_are_flipped():
    spoil("bits turned", Harm(flip=0.02))


def test_replies_arrive_in_parts():
    spoil("in parts of 7 bytes", Harm(split=7))


run_tests(globals())
