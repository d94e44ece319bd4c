"""The admin address of `sluice serve`: metrics, counts per rule, the log level."""

import functools
import json
import os
import signal
import sys
import time

PROJECT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.insert(0, os.path.join(PROJECT, "tests", "support"))

import prometheus_text  # noqa: E402
import server  # noqa: E402
from server import ask, expect, put, run_tests, until  # noqa: E402

RULES = """
domain: api
rules:
  - { name: posts, match: { path: /v1/posts }, per: [user], limit: 2/h }
  - { name: quiet, match: { path: /v1/quiet }, per: [user], limit: 1/h, mode: shadow }
---
domain: messaging
descriptors:
  - key: to
    rate_limit: { unit: hour, requests_per_unit: 1 }
"""


Server = functools.partial(server.Server, RULES)


def check(server, user="42", path="/v1/posts"):
    return ask(server.address, "/v1/check",
               {"domain": "api", "attributes": {"user": user, "path": path}})


def send_resp(connection, *commands):
    """Sends all commands, which are lines of words, at once and reads until each is answered."""
    for line in commands:
        words = line.split()
        connection.sendall(b"*%d\r\n" % len(words) + b"".join(
            b"$%d\r\n%s\r\n" % (len(word), word.encode()) for word in words))
    connection.sendall(b"*1\r\n$4\r\nQUIT\r\n")
    while connection.recv(4096):
        pass


def metrics_of(server):
    """Returns the current /metrics: (name, labels) to a number."""
    status, headers, text = ask(server.admin, "/metrics")
    expect(status, 200)
    expect(headers["Content-Type"], "text/plain; version=0.0.4; charset=utf-8")
    return {(name + suffix, labels): value
            for name, metric in prometheus_text.read_metrics(text).items()
            for (suffix, labels), value in metric.samples.items()}


def sample(metrics, name, **labels):
    return metrics[name, tuple(sorted(labels.items()))]


def decisions(metrics, rule, limit, domain="api"):
    """Returns allowed, refused, shadow_refused, failed and units."""
    labels = {"domain": domain, "rule": rule, "limit": limit}
    return [sample(metrics, "sluice_decisions_total", outcome=outcome, **labels)
            for outcome in ("allowed", "refused", "shadow_refused", "failed")
            ] + [sample(metrics, "sluice_units_total", **labels)]


def checks(metrics, frontend):
    """Returns allowed, refused, bad_request, unknown_domain and failed; then requests."""
    return [sample(metrics, "sluice_checks_total", frontend=frontend, outcome=outcome)
            for outcome in ("allowed", "refused", "bad_request", "unknown_domain", "failed")
            ] + [sample(metrics, "sluice_request_duration_seconds_count", frontend=frontend)]


def test_the_metrics_parser_is_strict():
    good = ('# HELP a_total Help.\n# TYPE a_total counter\na_total{l="x\\"\\\\\\n"} 1\na_total 2\n'
            '# HELP h Help.\n# TYPE h histogram\nh_bucket{le="0.1"} 1\nh_bucket{le="+Inf"} 2\n'
            'h_sum 3.5\nh_count 2\n')
    expect(prometheus_text.read_metrics(good)["a_total"].samples["", (("l", 'x"\\\n'),)], 1)
    for old, new in (("a_total 2\n", "a_total 2"), ("a_total 2", 'a_total{l="x\\"\\\\\\n"} 2'),
                     ("# TYPE a_total", "# TYPE b_total"), ("a_total 2", "b_total 2"),
                     ("# HELP h", "# HELP a_total"), ("counter", "count"),
                     ("a_total 2", "a_total x"),
                     ("a_total 2", "a_total{} 2"), ("a_total 2", "a_total -2"),
                     ('{l="x\\"\\\\\\n"}', '{l="x\\t"}'), ('{l="x\\"\\\\\\n"}', '{l="x",l="y"}'),
                     ('{l="x\\"\\\\\\n"}', '{l="x",}'), ('{l="x\\"\\\\\\n"}', "{l='x'}"),
                     ('"0.1"} 1', '"0.1"} 3'), ("h_count 2", "h_count 3"), ("h_sum 3.5\n", ""),
                     ('"+Inf"', '"0.2"'), ("h_sum", "h_total"), ("a_total", "a")):
        assert old in good, old
        try:
            prometheus_text.read_metrics(good.replace(old, new))
        except ValueError:
            continue
        raise AssertionError(f"{new!r} in place of {old!r} was taken")


def test_counts_after_known_requests_are_exact():
    with Server(["--callers-loopback"]) as server, server.connect() as connection:
        for _ in range(3):
            check(server)
            check(server, path="/v1/quiet")
        check(server, user='4"\\2', path="/nothing")
        ask(server.address, "/v1/check", {"domain": "none", "attributes": {}})
        ask(server.address, "/v1/check", {"domain": "api", "attribute": {}})
        quiet = {"domain": "api", "attributes": {"user": "77", "path": "/v1/quiet"}}
        lifting = [ask(server.address, path, quiet)[0] for path in ("/v1/refund", "/v1/reset")]
        expect(lifting, [200, 200])
        ask(server.address, "/v1/check", {"checks": [
            {"domain": "api", "attributes": {"user": "1", "path": "/v1/posts"}, "cost": 2},
            {"domain": "api", "attributes": {"user": "1", "path": "/v1/posts"}}]})
        ask(server.address, "/v1/peek", {
            "domain": "api", "attributes": {"user": "2", "path": "/v1/posts"}})
        ask(server.address, "/auth/api/x")
        ask(server.address, "/nowhere")
        send_resp(connection, *["CL.THROTTLE k 0 1 60", "PING"] * 2)
        found = metrics_of(server)
        expect(decisions(found, "posts", "h"), [4, 2, 0, 0, 4])
        expect(decisions(found, "quiet", "h"), [1, 0, 2, 0, 1])
        expect(decisions(found, "to", "", domain="messaging"), [0] * 5)
        expect(sample(found, "sluice_decisions_total", domain="api", rule="", limit="",
                      outcome="unmatched"), 2)
        expect(checks(found, "http"), [8, 2, 1, 1, 0, 13])
        expect(checks(found, "forward_auth"), [1, 0, 0, 0, 0, 1])
        expect(checks(found, "resp"), [1, 1, 0, 0, 0, 2])
        expect(checks(found, "rls"), [0] * 6)
        counts = json.loads(ask(server.admin, "/rules")[2])["counts"]
        assert {"domain": "api", "rule": "posts", "limit": "h", "allowed": 4, "refused": 2,
                "shadow_refused": 0, "failed": 0, "fallback_allowed": 0, "fallback_refused": 0,
                "units": 4} in counts, counts
        before = len(found)
        for user in range(50):
            check(server, user=str(user), path=f"/{user}")
        expect(len(metrics_of(server)), before, "no series for what callers send")


def test_counts_survive_a_reload_if_the_rule_keeps_its_name():
    with Server() as server:
        for _ in range(3):
            check(server)
        server.write(RULES.replace("2/h", "4/h").replace("quiet", "silent"))
        server.process.send_signal(signal.SIGHUP)
        server.line("rules_loaded")
        expect(decisions(metrics_of(server), "posts", "h"), [2, 1, 0, 0, 2])
        for _ in range(3):
            check(server)
        found = metrics_of(server)
        expect(decisions(found, "posts", "h"), [4, 2, 0, 0, 4])
        expect(decisions(found, "silent", "h"), [0] * 5)
        assert not any(dict(labels).get("rule") == "quiet" for _, labels in found), found
        expect(sample(found, "sluice_config_reloads_total", result="loaded"), 2)


def test_metrics_of_the_process_and_the_build():
    with Server() as server:
        found = metrics_of(server)
        versions = [dict(labels) for name, labels in found if name == "sluice_build_info"]
        expect([set(labels) for labels in versions], [{"version", "compiler"}])
        assert sample(found, "process_cpu_seconds_total") >= 0, "it counts in ticks"
        for name in ("process_resident_memory_bytes", "process_open_fds", "process_max_fds",
                     "sluice_config_last_reload_success_timestamp_seconds"):
            assert sample(found, name) > 0, name
        started = sample(found, "process_start_time_seconds")
        assert abs(started - time.time()) < 3600, started
        expect(sample(found, "sluice_ready"), 1)
        expect(sample(found, "sluice_connections", listener=server.admin), 1)
        expect(sample(found, "sluice_connections", listener=server.address), 0)
        with server.connect(), server.connect():
            until(lambda: sample(metrics_of(server), "sluice_connections",
                                 listener=server.address) == 2, "both are counted")
        until(lambda: sample(metrics_of(server), "sluice_connections",
                             listener=server.address) == 0, "both have gone")
        expect(sample(found, "sluice_config_last_reload_successful"), 1)


def test_the_log_level_can_be_changed_at_run_time():
    with Server() as server:
        expect(ask(server.admin, "/log")[::2], (200, "info\n"))
        expect(put(server.admin, "/log", "debug")[::2], (200, "debug\n"))
        expect(server.line("log_level_set"), "debug")
        server.process.send_signal(signal.SIGHUP)
        server.line("rules_unchanged")  # logged at level debug only
        expect(put(server.admin, "/log", "loud")[0], 400)
        expect(put(server.admin, "/rules", "x")[0], 405)
    with Server(flags=["--admin-token", "sixteen bytes at least"]) as server:
        expect(put(server.admin, "/log", "debug")[0], 401)


run_tests(globals())
