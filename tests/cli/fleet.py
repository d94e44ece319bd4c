"""Four nodes that share one Redis, and many clients that send requests to all of them."""

import contextlib
import http.client
import json
import os
import sys
import threading
import time

PROJECT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.insert(0, os.path.join(PROJECT, "tests", "support"))

from server import DEADLINE_SECONDS, Server, ask, expect, run_tests, until  # noqa: E402
from redis_processes import Redis  # noqa: E402

NODES, CLIENTS, RUNS = 4, 64, 10
COUNT = 1000
SYNC_SECONDS = 0.2
# A request that waits on a busy machine must not be decided by the fallback.
PATIENT = ("--store-deadline", "5s", "--store-sync-interval", "200ms", "--store-nodes", str(NODES))
HOUR = f"{{ rate: {COUNT}/h, algorithm: fixed_window, window: first_request }}"
RULES = "domain: api\nrules:\n" + "".join(
    f"  - {{ name: {mode}, match: {{ mode: {mode} }}, per: [user], limit: {HOUR}, "
    f"consistency: {mode} }}\n" for mode in ("exact", "leased", "eventual"))


@contextlib.contextmanager
def fleet(rules, url, flags=PATIENT):
    """Starts nodes that know the number of nodes and share the secret of the keys."""
    with contextlib.ExitStack() as stack:
        nodes = [stack.enter_context(Server(rules, ["--store", url, *flags]))
                 for _ in range(NODES)]
        for node in nodes:
            until(lambda: f"sluice_redis_nodes {NODES}\n" in ask(node.admin, "/metrics")[2],
                  "all nodes are counted")
        yield nodes


class Client:
    """A connection to one node."""

    def __init__(self, node):
        self.connection = http.client.HTTPConnection("127.0.0.1", node.port,
                                                     timeout=DEADLINE_SECONDS)

    def check(self, path="/v1/check", **attributes):
        body = json.dumps({"domain": "api", "attributes": attributes})
        self.connection.request("POST", path, body, {"Content-Type": "application/json"})
        reply = self.connection.getresponse()
        text = json.loads(reply.read())
        assert reply.status in (200, 429), (reply.status, text)
        for decision in text["decisions"]:
            assert decision["source"] != "fallback", text
        return text


class Crowd:
    """Clients of all nodes that send requests at the same time, and when each was allowed."""

    def __init__(self, nodes, **attributes):
        self.nodes, self.attributes = nodes, attributes
        self.allowed = []  # times of the replies
        self.longest = 0.0  # longest time of a reply, in seconds
        self.lock = threading.Lock()
        self.faults = []

    def ask(self, tries):
        """Makes every client send this many requests."""
        def work(number):
            try:
                client = Client(self.nodes[number % NODES])
                for _ in range(tries):
                    sent = time.monotonic()
                    is_allowed = client.check(**self.attributes)["allowed"]
                    done = time.monotonic()
                    with self.lock:
                        self.allowed += [done] if is_allowed else []
                        self.longest = max(self.longest, done - sent)
            except Exception as fault:  # reported by the test
                self.faults.append(fault)

        threads = [threading.Thread(target=work, args=(number,)) for number in range(CLIENTS)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert not self.faults, self.faults[0]
        return len(self.allowed)


def expect_ttls(redis):
    """Every state must expire."""
    for key in redis.call("KEYS", "sluice:*").splitlines():
        if key != "sluice:secret":
            # -2: it has expired in the meantime.
            assert int(redis.call("PTTL", key)) != -1, f"{key} has no TTL"


def test_exact_admits_exactly_the_limit():
    with Redis() as redis, fleet(RULES, f"redis://{redis.address}") as nodes:
        for run in range(RUNS):
            crowd = Crowd(nodes, mode="exact", user=str(run))
            expect(crowd.ask(COUNT // CLIENTS + 5), COUNT, f"run {run}")
        expect_ttls(redis)


def test_leased_admits_the_limit_once_leases_are_returned():
    with Redis() as redis, fleet(RULES, f"redis://{redis.address}") as nodes:
        for run in range(RUNS):
            crowd = Crowd(nodes, mode="leased", user=str(run))
            allowed = crowd.ask(COUNT // CLIENTS + 5)
            assert allowed <= COUNT, f"run {run}: {allowed}"
            # Units that a node leases and does not spend return within the time of a lease.
            until(lambda: crowd.ask(1) >= COUNT, "all units are spent")
            expect(crowd.ask(2), COUNT, f"run {run}")
        expect_ttls(redis)


def test_eventual_admits_at_most_what_nodes_do_not_know_of_each_other():
    with Redis() as redis, fleet(RULES, f"redis://{redis.address}") as nodes:
        for run in range(RUNS):
            crowd = Crowd(nodes, mode="eventual", user=str(run))
            until(lambda: crowd.ask(1) >= COUNT, "all units are spent")
            crowd.ask(3)
            expect_bound(crowd, run)
        expect_ttls(redis)


def expect_bound(crowd, run):
    """A node does not know what the others admitted since their last sync: within one interval and
    the reply to its push, for which as much is allowed. A late reply is not a late admission."""
    over = len(crowd.allowed) - COUNT
    begin = sorted(crowd.allowed)[COUNT - 1] - 2 * SYNC_SECONDS - crowd.longest
    unknown = sum(at >= begin for at in crowd.allowed)
    most = unknown * (NODES - 1) / NODES
    print(f"eventual, run {run}: {over} above {COUNT}, bound {most:.0f}")
    assert over <= most, (over, most)


def test_limits_in_different_slots_are_charged_all_or_none():
    rules = "domain: api\nrules:\n" + "".join(
        f"  - {{ name: {name}, per: [{name}], limit: {{ rate: {count}/h, "
        "algorithm: fixed_window, window: first_request } }\n"
        for name, count in (("user", 100), ("ip", 40)))
    with contextlib.ExitStack() as stack:
        servers = [stack.enter_context(Redis("cluster-enabled yes")) for _ in range(3)]
        addresses = [server.address for server in servers]
        servers[0].call("--cluster", "create", *addresses, "--cluster-yes")
        until(lambda: all("cluster_state:ok" in server.call("CLUSTER", "INFO")
                          for server in servers), "the cluster is whole")
        url = "redis+cluster://" + ",".join(addresses)
        nodes = stack.enter_context(fleet(rules, url))
        for run in range(RUNS):
            caller = {"user": f"u{run}", "ip": f"192.0.2.{run}"}
            expect(Crowd(nodes, **caller).ask(2), 40, f"run {run}")
            # Units of a request that the address limit refused are refunded to the user, on every
            # node.
            for node in nodes:
                left = Client(node).check("/v1/peek", **caller)["decisions"][0]["remaining"]
                expect(left, 60, f"run {run}")
        for server in servers:
            expect_ttls(server)


run_tests(globals())
