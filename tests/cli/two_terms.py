"""Nodes with different rules for the same keys: together they admit at most the lenient limit."""

import contextlib
import http.client
import json
import os
import sys

PROJECT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.insert(0, os.path.join(PROJECT, "tests", "support"))

from server import DEADLINE_SECONDS, Server, ask, run_tests, until  # noqa: E402
from redis_processes import Redis  # noqa: E402

LENIENT, STRICT = 1000, 10
ROUNDS = 4
FLAGS = ("--store-deadline", "5s", "--store-sync-interval", "200ms", "--store-nodes", "2")
ALGORITHMS = {
    "token_bucket": "",
    "fixed_window": ", window: first_request",
    "sliding_window": "",
    "sliding_buckets": "",
    "sliding_log": "",
}


def rules_of(count):
    """Returns a rule for each algorithm and consistency."""
    return "domain: api\nrules:\n" + "".join(
        f"  - {{ name: {mode}-{algorithm.replace('_', '-')}, match: {{ mode: {mode}, "
        f"algorithm: {algorithm} }}, per: [user], limit: {{ rate: {count}/h, "
        f"algorithm: {algorithm}{more} }}, consistency: {mode} }}\n"
        for mode in ("exact", "leased", "eventual") for algorithm, more in ALGORITHMS.items())


@contextlib.contextmanager
def two_nodes(redis):
    """Runs two nodes, of which only one has been reloaded."""
    with contextlib.ExitStack() as stack:
        nodes = [stack.enter_context(Server(rules_of(count),
                                            ["--store", f"redis://{redis.address}", *FLAGS]))
                 for count in (LENIENT, STRICT)]
        for node in nodes:
            until(lambda: "sluice_redis_nodes 2\n" in ask(node.admin, "/metrics")[2],
                  "both nodes are counted")
        yield nodes


class Client:
    """A connection to one node."""

    def __init__(self, node):
        self.connection = http.client.HTTPConnection("127.0.0.1", node.port,
                                                     timeout=DEADLINE_SECONDS)

    def passes(self, cost=1, call="check", **attributes):
        body = json.dumps({"domain": "api", "attributes": attributes, "cost": cost})
        self.connection.request("POST", f"/v1/{call}", body, {"Content-Type": "application/json"})
        reply = self.connection.getresponse()
        text = json.loads(reply.read())
        assert reply.status in (200, 429), (reply.status, text)
        for decision in text["decisions"]:
            assert decision["source"] != "fallback", text
        return text["allowed"]


def rounds(nodes, **attributes):
    """Returns how many single units pass if both nodes are asked in turn."""
    lenient, strict = (Client(node) for node in nodes)
    passed = 0
    for _ in range(ROUNDS):
        for client, tries in ((lenient, LENIENT + 10), (strict, 2 * STRICT)):
            client.passes(call="peek", **attributes)
            for _ in range(tries):
                if not client.passes(**attributes):
                    break
                passed += 1
            # A refusal must not change anything either.
            client.passes(cost=STRICT + 1, **attributes)
    return passed


def test_exact_admits_the_lenient_limit():
    with Redis() as redis, two_nodes(redis) as nodes:
        for algorithm in ALGORITHMS:
            passed = rounds(nodes, mode="exact", algorithm=algorithm, user="a")
            # A bucket regains some units in the meantime.
            least, most = LENIENT - STRICT, LENIENT + (STRICT if "bucket" in algorithm else 0)
            print(f"exact, {algorithm}: {passed}")
            assert least <= passed <= most, (algorithm, passed)


def test_leased_admits_no_more():
    with Redis() as redis, two_nodes(redis) as nodes:
        for algorithm in ALGORITHMS:
            passed = rounds(nodes, mode="leased", algorithm=algorithm, user="a")
            print(f"leased, {algorithm}: {passed}")
            assert passed <= LENIENT + (STRICT if "bucket" in algorithm else 0), (algorithm, passed)


def test_eventual_exceeds_the_limit_only_by_what_nodes_do_not_know():
    with Redis() as redis, two_nodes(redis) as nodes:
        for algorithm in ALGORITHMS:
            passed = rounds(nodes, mode="eventual", algorithm=algorithm, user="a")
            print(f"eventual, {algorithm}: {passed}")
            # Each of the two may admit its own limit before it learns of the other.
            assert passed <= LENIENT + 2 * STRICT, (algorithm, passed)


def test_every_state_expires():
    with Redis() as redis, two_nodes(redis) as nodes:
        for algorithm in ALGORITHMS:
            rounds(nodes, mode="exact", algorithm=algorithm, user="a")
        keys = [key for key in redis.call("KEYS", "sluice:*").splitlines()
                if key != "sluice:secret"]
        assert len(keys) >= len(ALGORITHMS), keys
        for key in keys:
            assert int(redis.call("PTTL", key)) != -1, f"{key} has no TTL"


run_tests(globals())
