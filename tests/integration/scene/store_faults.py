"""Faults of the store that nodes share, and how nodes recover from them."""

import collections
import os
import time

from store_scene import StoreScene, needs_store, print_latencies

from scene.neighbours import RULES

BREAKERS = len(os.sched_getaffinity(0))  # per node: each of its threads has one
STEADY_SECONDS = 5  # a breaker opens at most once in it, except for the first time
# The longest rest of a breaker, plus that of a connection, plus a second for the machine. A breaker
# that had to open twice within STEADY_SECONDS rests for longer.
BACK_SECONDS, LATER_BACK_SECONDS = 4, 9


def fleet_of(server, flags=()):
    return StoreScene(f"redis://{server.address}", flags=flags, others=RULES)


def go_on(load, phase, seconds):
    """Lets clients continue for this long."""
    load.phase(phase)
    time.sleep(seconds)


def recover(fleet, load, mend, probe=("ledger", "probe")):
    """Ends the fault; soon the store decides again, for all threads of all nodes. `probe` is a rule
    and a key that the fault affects.

    Returns when the fault ended: requests that passed until then were not charged in the store.
    """
    load.phase("return")
    before = time.monotonic()
    mend()
    mended = time.monotonic()
    fleet.wait_for("redis", *probe)
    go_on(load, "after", BACK_SECONDS)
    load.end()
    load.back_after = taken = load.last_without_store(mended) - mended
    opened = [node.metric("sluice_redis_breaker_opened_total") for node in fleet.nodes]
    most = BACK_SECONDS if max(opened) <= BREAKERS else LATER_BACK_SECONDS
    print_latencies(load)
    print(f"  {load.title}: breakers opened {sum(opened):.0f} times")
    assert taken < most, f"the store decides again after {taken} s"
    return before


def sources(load, phase):
    """Returns the sources of decisions that only the store may make."""
    return {ask.source for ask in load.asks_of(phase) if needs_store(ask)}


def near_sources(load, phase, rule):
    """Returns the sources of decisions that nodes may make locally, with their counts."""
    found = collections.Counter(ask.source for ask in load.asks_of(phase) if ask.rule == rule)
    print(f"  {load.title}, {phase}, {rule}: {dict(found)}")
    return found


def expect_near(load, phase):
    """Nodes did decide locally, so the checks about that are not empty."""
    for rule, wanted in (("leased", "lease"), ("eventual", "eventual")):
        found = near_sources(load, phase, rule)
        assert found[wanted] > 0, f"{rule}, {phase}: {found}"
