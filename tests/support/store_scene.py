"""Nodes of Sluice that share a store, clients that send requests to them continuously, and the
promises that must hold whatever happens to the store.

For scripts that are run as `python3 FILE path/to/sluice`.
"""

import contextlib
import json
import os
import random

from admission import Away, Bucket, EventualWindow, Window, expect_bounds
from prometheus_text import read_metrics
from recorder import Recorder, Traffic, latency_row, quantile
from server import Server, ask, expect, until

NODES, KEYS, RATE = 2, 30, 840  # the first key gets 34 requests per second and rule
DEADLINE_SECONDS = 0.005  # deadline of the store
NOISE_SECONDS = 0.010  # latency that other work on the machine may add
# The limits are so low that the first key alone demands far more than passes in any fault.
LIMITS = {"tokens": Bucket(count=5, seconds=1, burst=20),
          "fixed": Window(count=20, seconds=5, slides=False),
          "sliding": Window(count=20, seconds=5, slides=True),
          # With fewer units, leases run out so soon that hardly any lease is spent.
          "leased": Window(count=30, seconds=5, slides=False, consistency="leased"),
          "eventual": EventualWindow(count=20, seconds=5)}
NEAR = ("leased", "eventual")  # rules of which nodes decide most requests locally
# Counts what is charged, and is never exhausted.
LEDGER = "{ rate: 1000000000/year, algorithm: fixed_window, window: first_request }"
UNITS = 1_000_000_000


def rules(limits):
    """Returns a rule for each limit, a ledger, and a rule that never uses the store: its latency
    shows how busy the machine is."""
    given = {name: limit.yaml + limit.options for name, limit in limits.items()}
    given["ledger"] = LEDGER
    text = "domain: api\nrules:\n" + "".join(
        f"  - {{ name: {name}, match: {{ mode: {name} }}, per: [user], limit: {limit} }}\n"
        for name, limit in given.items())
    return text + ("  - { name: here, match: { mode: here }, per: [user], limit: 1000000/s, "
                   "consistency: local }\n")


def seed_of_run():
    """Returns and prints the seed of this run: SLUICE_SEED, or a random one."""
    seed = int(os.environ.get("SLUICE_SEED") or random.SystemRandom().randrange(1 << 32))
    print(f"SLUICE_SEED={seed}", flush=True)
    return seed


def traffic_of(limits, seed):
    """Returns the traffic of clients: in turn each limit, and the rules that always exist."""
    return Traffic([*limits, "ledger", "here"], KEYS, seed)


class Node(Server):
    """A node of a fleet."""

    def metric(self, name, **labels):
        """Returns the sum of the samples that have these labels."""
        samples = read_metrics(ask(self.admin, "/metrics")[2])[name].samples
        return sum(value for (_, found), value in samples.items()
                   if labels.items() <= dict(found).items())


class StoreScene:
    """The nodes. `url` is of the store, or of a proxy before it; `others` are further rules."""

    def __init__(self, url, nodes=NODES, flags=(), limits=None, others=""):
        self.limits = limits or LIMITS
        text = rules(self.limits) + "---" + others if others else rules(self.limits)
        self.stack = contextlib.ExitStack()
        # Recorders have unused connections, which must not be closed at the moment of their first
        # use.
        given = ["--store", url, "--store-nodes", str(nodes), "--deadlines-header", "1h", *flags]
        self.nodes = [self.stack.enter_context(Node(text, given))
                      for _ in range(nodes)]

    def __enter__(self):
        self.wait_for_fleet()
        return self

    def __exit__(self, kind, *_):
        with self.stack:
            for node in self.nodes:
                if kind is None:
                    expect(node.stop(), 0, "the exit code of a node")

    def wait_for_fleet(self):
        for node in self.nodes:
            until(lambda node=node: node.metric("sluice_redis_nodes") == len(self.nodes),
                  "all nodes are counted")

    def record(self, seed, title):
        """Returns a recorder that sends requests for all rules to all nodes."""
        return Recorder([node.address for node in self.nodes], traffic_of(self.limits, seed), RATE,
                        title)

    def check(self, rule, key="k0", node=0, path="/v1/check"):
        """Returns one decision, as JSON."""
        status, _, body = ask(self.nodes[node].address, path, {
            "domain": "api", "attributes": {"mode": rule, "user": key}})
        assert status in (200, 429), (status, body)
        return json.loads(body)["decisions"][0]

    def metric(self, name, **labels):
        """Returns the sum over all nodes."""
        return sum(node.metric(name, **labels) for node in self.nodes)

    def wait_for(self, source, rule="ledger", key="probe"):
        """Waits until every node decides by this source."""
        for node in range(len(self.nodes)):
            until(lambda node=node: self.check(rule, key, node)["source"] == source,
                  f"node {node} says {source}")

    def stored(self, rule, key):
        """Returns the units that the store has left."""
        found = {}

        def is_told():
            found.update(self.check(rule, key, path="/v1/peek"))
            return found["source"] == "redis"

        until(is_told, "the store tells")
        return found["remaining"]

    def expect_ledger(self, recorder, forgot=False):
        """No unit was charged twice, and unless the store lost its data no charge was lost."""
        for key in sorted({ask.key for ask in recorder.asks if ask.rule == "ledger"}):
            told = [ask for ask in recorder.asks if (ask.rule, ask.key) == ("ledger", key)]
            used = UNITS - self.stored("ledger", key)
            most = sum(ask.cost for ask in told if ask.allowed)
            least = sum(ask.cost for ask in told if ask.source == "redis")
            assert used <= most, f"{key}: {used} charged, {most} passed"
            assert forgot or used >= least, f"{key}: {used} charged, {least} decided there"

    def expect_bounds(self, recorder, away=Away(), end=None):
        """No key got more than the store's absences allow; considers answers until `end`, if given,
        because the store was not back before it. Prints a row of docs/promises.md."""
        asks = [ask for ask in recorder.asks if end is None or ask.done < end]
        found = expect_bounds(asks, self.limits, len(self.nodes), away, recorder.wall)
        is_back = end is None and recorder.back_after is not None
        print_row("above", recorder.title if end is None else f"{recorder.title}, until it is back",
                  *(f"{most:.0f}, no bound" if bound is None else f"{most:.0f} of {bound}"
                    for most, bound in found.values()),
                  f"{recorder.back_after:.2f} s" if is_back else "")


def print_row(table, *cells):
    """Prints a row of a table, after the name of the table."""
    print(f"{table}: | {' | '.join(cells)} |", flush=True)


def needs_store(ask):
    """Returns whether only the store may decide the request."""
    return ask.rule not in ("here", *NEAR)


def expect_no_errors(recorder):
    """Each request was answered with a verdict."""
    assert not recorder.faults, (len(recorder.faults), recorder.faults[:3])
    assert len(recorder.asks) > 100, "hardly anything was asked"
    expect({ask.status for ask in recorder.asks} - {200, 429}, set())


def expect_in_time(recorder, phase, seconds):
    """No request waited longer for the store, apart from the machine's delay that `here` shows."""
    told = recorder.asks_of(phase)
    found = quantile([ask.latency for ask in told if needs_store(ask)], 0.99)
    noise = quantile([ask.latency for ask in told if ask.rule == "here"], 0.99)
    assert found <= seconds + noise + NOISE_SECONDS, f"p99 {found}, without the store {noise}"


def print_latencies(recorder):
    """Prints rows of docs/promises.md: latencies of each phase, and of requests that never use the
    store; `here` shows how busy the machine was."""
    for phase in dict.fromkeys(name for _, name in recorder.phases):
        told = recorder.asks_of(phase)
        asks = [ask for ask in told if needs_store(ask)]
        here = quantile([ask.latency * 1e3 for ask in told if ask.rule == "here"], 0.99)
        fallback = sum(ask.source == "fallback" for ask in asks)
        cells = [f"{value:.2f}" for value in (*latency_row(asks), here)]
        print_row("latency", recorder.title, phase, *cells, f"{fallback} of {len(asks)}")
