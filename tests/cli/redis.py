"""Two nodes whose Redis is killed, restarted and emptied, and loses its scripts.

tests/integration/faults_network.py does the same and more under continuous traffic.
"""

import json
import os
import sys
import tempfile

PROJECT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.insert(0, os.path.join(PROJECT, "tests", "support"))

from admission import Away, Bucket, EventualWindow, Window, expect_bounds  # noqa: E402
from recorder import Ask, Recorder  # noqa: E402
from redis_processes import Redis  # noqa: E402
from server import ask, expect, run_tests, until  # noqa: E402
from store_scene import (LIMITS as ALL_LIMITS, NODES, RATE, Node, StoreScene, rules,  # noqa: E402
                         traffic_of)

# No unit of the burst returns while a test runs.
BURST = 10
LIMITS = {"tokens": Bucket(count=1, seconds=3600, burst=BURST)}
# A busy machine must not count as an outage.
PATIENT = ("--store-deadline", "5s")


def check(node, rule, key):
    """Returns one decision of a node, as JSON."""
    body = {"domain": "api", "attributes": {"mode": rule, "user": key}}
    return json.loads(ask(node.address, "/v1/check", body)[2])["decisions"][0]


def fleet_of(redis):
    return StoreScene(f"redis://{redis.address}", flags=PATIENT, limits=LIMITS)


def passed(fleet, key, source):
    """Sends 1.5 bursts to each node. Returns how many passed; `source` must decide them all."""
    found = [fleet.check("tokens", key, node) for _ in range(BURST * 3 // 2)
             for node in range(NODES)]
    expect({decision["source"] for decision in found}, {source}, key)
    return sum(decision["allowed"] for decision in found)


def test_shares_add_up_while_redis_is_down_and_redis_decides_again_afterwards():
    with Redis() as redis, fleet_of(redis) as fleet:
        expect(passed(fleet, "one", "redis"), BURST)
        redis.stop()
        fleet.wait_for("fallback")
        expect(passed(fleet, "two", "fallback"), BURST, "the shares of all nodes")
        expect(fleet.metric("sluice_decisions_total", rule="tokens", outcome="fallback_allowed"),
               BURST)
        for node in fleet.nodes:
            expect(ask(node.admin, "/readyz")[0], 200, "nodes are ready without Redis")
        redis.start_again()
        fleet.wait_for("redis")
        expect(passed(fleet, "three", "redis"), BURST)


def test_an_emptied_redis_admits_one_more_burst():
    with Redis() as redis, fleet_of(redis) as fleet:
        for command in ("FLUSHALL", "FLUSHDB"):
            expect(passed(fleet, command, "redis"), BURST)
            expect(redis.call(command), "OK")
            expect(passed(fleet, command, "redis"), BURST, f"after {command}")


def test_lost_scripts_are_loaded_again():
    with Redis() as redis, fleet_of(redis) as fleet:
        expect(passed(fleet, "one", "redis"), BURST)
        loaded = fleet.metric("sluice_redis_scripts_loaded_total")
        expect(redis.call("SCRIPT", "FLUSH"), "OK")
        expect(passed(fleet, "one", "redis"), 0)
        expect(passed(fleet, "two", "redis"), BURST)
        until(lambda: fleet.metric("sluice_redis_scripts_loaded_total") > loaded, "they are loaded")


def test_a_new_node_uses_the_configured_number_of_nodes():
    flags = ("--store-nodes", "7", *PATIENT)
    with Redis() as redis, \
            Node(rules(LIMITS), ["--store", f"redis://{redis.address}", *flags]) as node:
        until(lambda: node.metric("sluice_redis_nodes") > 0, "they are counted")
        told = [line["text"] for line in map(json.loads, node.lines)
                if line["event"] == "nodes_counted"]
        expect((told or [node.line("nodes_counted")])[0], "7 alive", "the first count")


def test_a_node_that_starts_without_redis_uses_its_share_of_the_last_fleet():
    with tempfile.TemporaryDirectory() as folder:
        file = os.path.join(folder, "nodes")
        with Redis() as redis:
            url = f"redis://{redis.address}"
            flags = ["--store", url, *PATIENT, "--store-key-secret", "the same on all nodes"]
            with Node(rules(LIMITS), [*flags, "--store-nodes-file", file]) as first, \
                    Node(rules(LIMITS), flags) as second:
                for node in (first, second):
                    until(lambda node=node: node.metric("sluice_redis_nodes") == 2,
                          "both are counted")
                until(lambda: os.path.exists(file) and open(file).read() == "nodes 2\n",
                      "the number is written down")
            redis.stop()
            with Node(rules(LIMITS), [*flags, "--store-nodes-file", file]) as node:
                expect(sum(check(node, "tokens", "one")["allowed"] for _ in range(BURST)),
                       BURST // 2, "its share")
            with open(file, "w") as hostile:
                hostile.write("nodes 1000000000\n")
            with Node(rules(LIMITS), [*flags, "--store-nodes-file", file]) as node:
                expect(sum(check(node, "tokens", "one")["allowed"] for _ in range(BURST)),
                       BURST, "what a file says that cannot be so is not believed")
                assert any("nodes_not_read" in line for line in node.lines), node.lines


def test_the_log_reports_why_redis_fails_and_when_it_answers():
    password = "hunter2"
    with Redis(password=password) as redis:
        flags = ["--store", f"redis://:wrong-{password}@{redis.address}", *PATIENT]
        with Node(rules(LIMITS), flags) as node:
            cause = f"{redis.address} refused: WRONGPASS"
            told = node.line("store_failing")
            assert told.startswith(cause) and "on_store_failure" in told, told
            expect(check(node, "tokens", "one")["source"], "fallback")
            expect(node.metric("sluice_redis_calls_total", outcome="not_asked"), 1)
            status, _, body = ask(node.admin, "/readyz?verbose")
            expect(status, 200, "readiness does not depend on Redis")
            assert f"\nstore: failing: {cause}" in body, body
            assert password not in body + "".join(node.lines), node.lines
        flags = ["--store", f"redis://:{password}@{redis.address}", *PATIENT]
        with Node(rules(LIMITS), flags) as node:
            expect(node.line("store_connected"), f"{redis.address} answers")
            assert "\nstore: answering\n" in ask(node.admin, "/readyz?verbose")[2]
            redis.stop()
            told = node.line("store_failing")
            assert redis.address in told, told
            redis.start_again()
            told = node.line("store_connected")
            assert told.startswith(f"{redis.address} answers again, after "), told
            assert password not in "".join(node.lines), node.lines


def test_the_log_reports_that_the_name_of_redis_is_unknown():
    with Node(rules(LIMITS), ["--store", "redis://nobody.invalid"]) as node:
        assert "nobody.invalid:6379" in node.line("store_failing"), node.lines
        expect(check(node, "tokens", "one")["source"], "fallback")
        expect(node.metric("sluice_redis_calls_total", outcome="not_asked"), 1)


def asked(count, at, seconds=0.0, node=0):
    """Returns this many requests that passed: sent then, and answered `seconds` later."""
    return [Ask(due=at, node=node, rule="", key="", cost=1, sent=at, done=at + seconds, status=200,
                allowed=True, source="redis")] * count


def test_detects_excess_admissions():
    bucket = Bucket(count=20, seconds=1, burst=40)
    steady = [each for tick in range(100) for each in asked(1, 10 + tick / 20)]
    for passed_, most in ((asked(40, 10) + steady[1:], 0), (asked(40, 10) + steady, 1),
                          (asked(47, 10) + asked(40, 12), 7), (asked(41, 10, 0.05), 0)):
        expect(round(max(0, bucket.excess(passed_, 0)), 6), most)
    fixed, sliding = (Window(count=100, seconds=5, slides=slides) for slides in (False, True))
    for window, before, now, most in ((fixed, 100, 100, 0), (fixed, 100, 103, 3),
                                      (sliding, 100, 20, 0), (sliding, 100, 23, 3)):
        expect(round(window.excess(asked(before, 1009.9) + asked(now, 1011), 0), 6), most)
    expect(fixed.excess(asked(200, 4.9, 0.2), 0), -100, "of which window is not known")


def test_eventual_counts_may_miss_what_nodes_could_not_know():
    window = EventualWindow(count=100, seconds=5)
    for own, others, later, most in ((100, 7, 0.1, 0), (100, 7, 1, 7), (107, 0, 0.1, 7)):
        passed_ = asked(others, 10, node=1) + asked(own, 10 + later, node=0)
        expect(max(0, window.excess(passed_, 0)), most, (own, others, later))


def all_of(rule, seconds):
    """Returns the requests of clients over this time; everything passes for this rule only."""
    traffic = traffic_of(ALL_LIMITS, seed=1)
    asks = []
    for number in range(int(seconds * RATE)):
        name, key, cost = next(traffic)
        at = 1000 + number / RATE
        asks.append(Ask(due=at, node=number % NODES, rule=name, key=key, cost=cost, sent=at,
                        done=at + 0.001, status=200, allowed=name == rule, source="redis"))
    return asks


def test_clients_could_break_each_bound_of_each_fault():
    faults = ((10, Away()), (10, Away(forgot=1)), (10, Away(outages=1)),
              (8, Away(outages=1, unaware=1, forgot=1)), (16, Away(outages=1, unaware=3)),
              (10, Away(outages=2, unaware=2, forgot=1)))
    for seconds, away in faults:
        expect_bounds(all_of("", seconds), ALL_LIMITS, NODES, away, wall=0)
        for rule in ALL_LIMITS:
            for wall in (0, 2.5):  # windows begin at any time
                try:
                    expect_bounds(all_of(rule, seconds), ALL_LIMITS, NODES, away, wall)
                except AssertionError as breach:
                    assert str(breach).startswith(f"{rule}, key k0: "), breach
                else:
                    raise AssertionError(f"{rule}, {away}: all may pass for {seconds} s")


def test_detects_a_bound_that_clients_cannot_break():
    try:
        expect_bounds(all_of("", 10), ALL_LIMITS, NODES, Away(outages=1, forgot=9), wall=0)
    except AssertionError as fault:
        assert "asked for above the limit" in str(fault), fault
    else:
        raise AssertionError("nobody sees that it cannot be broken")


def test_detects_a_stalled_machine_by_clients_that_never_use_the_store():
    for late, most in (((), 0), ((40,), 0), ((40, 80), 0), (range(40, 46), 1),
                       ((*range(40, 46), *range(80, 86)), 2)):
        recorder = Recorder([], traffic_of(ALL_LIMITS, seed=1), RATE)
        recorder.phases.append((0.0, "during"))
        for number in range(120):
            due = number / 120
            recorder.asks.append(Ask(due, 0, "here", "k0", 1, due,
                                     due + (0.004 if number in late else 0.001)))
        expect(recorder.stalls("during", 0.002), most, late)


run_tests(globals())
