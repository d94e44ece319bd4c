"""Envoy with its global rate limit filter, as in examples/envoy/ratelimit.yaml."""

import re
import urllib.request

from scene.proxy_contract import tests_of
from scene.proxies import Kind, stage
from scene import VENV, path_contract, tool
from server import expect, run_tests

RESOURCE_EXHAUSTED = 8

ENVOY = Kind(
    folder="envoy",
    file="ratelimit.yaml",
    command=[tool("envoy", VENV + "/bin/envoy"), "--use-dynamic-base-id", "--concurrency", "1",
             "--log-level", "warning", "-c", "ratelimit.yaml"],
    patience=[("timeout: 0.1s", "timeout: 60s")],
    fail_closed=[("failure_mode_deny: false", "failure_mode_deny: true")],
    away_status=500,
    denied=(429, 429))


def test_grpc_clients_get_a_grpc_status():
    with stage(ENVOY) as (_, proxy, app):
        replies = [proxy.ask("/v1/posts", method="POST", headers={
            "Content-Type": "application/grpc", "TE": "trailers"}) for _ in range(3)]
        expect([reply.status for reply in replies], [200] * 3)
        expect([reply.headers["grpc-status"] for reply in replies],
               [None, None, str(RESOURCE_EXHAUSTED)])
        expect(len(app.seen), 2)


# Entries and descriptors with values that clients choose, added before those of the example.
ACTIONS = "                        - actions:\n"
ENTRIES = "".join(" " * 28 + f"- request_headers: {{ header_name: {header}, descriptor_key: {key},"
                  " skip_if_absent: true }\n"
                  for header, key in (("x-tokens", "tokens"), ("user-agent", "agent")))
OPTIONAL = ACTIONS + ENTRIES.splitlines(True)[0].replace("tokens", "key")
CLIENT_RULES = """
domain: edge
attributes: { ip: remote_address }
rules:
  - { name: posts, match: { path: /v1/posts }, per: [ip], limit: 2/h }
  - { name: tokens, match: { path: /v1/tokens }, per: [ip], cost: tokens, limit: 1000/h }
  - { name: private, match: { path: { regex: "/private/.*" } }, action: deny }
"""


def warnings(sluice):
    with urllib.request.urlopen(f"http://{sluice.admin}/metrics") as reply:
        text = reply.read().decode()
    return {cause: int(count) for cause, count in
            re.findall(r'sluice_warnings_total{cause="(\w+)"} (\d+)', text) if count != "0"}


def ask(proxy, path, *lines):
    head = b"GET " + path + b" HTTP/1.1\r\nHost: edge\r\n"
    return proxy.send(head + b"".join(line + b"\r\n" for line in lines))[0]


def test_no_byte_of_a_header_disables_limits():
    with stage(ENVOY, [(ACTIONS, ACTIONS + ENTRIES)], CLIENT_RULES) as (sluice, proxy, app):
        agent = b"User-Agent: x\xff"
        expect([ask(proxy, b"/v1/posts", agent) for _ in range(3)], [200, 200, 429])
        expect(ask(proxy, b"/private/a", agent), 429)
        expect(ask(proxy, b"/private/a\xff"), 400, "Envoy's own answer")
        expect(ask(proxy, b"/private/a%FF"), 429)
        expect(len(app.seen), 2)
        expect(warnings(sluice), {})


def test_a_cost_that_is_no_number_is_refused():
    with stage(ENVOY, [(ACTIONS, ACTIONS + ENTRIES)], CLIENT_RULES) as (sluice, proxy, app):
        for cost in (b"abc", b"-1", b"1.5", b"", b"\xff"):
            expect(ask(proxy, b"/v1/tokens", b"X-Tokens: " + cost), 429, cost)
        expect(app.seen, [])
        expect(warnings(sluice), {"bad_cost": 5})
        assert "the attribute 'tokens', which holds the cost" in sluice.line("bad_cost")
        expect(ask(proxy, b"/v1/posts", b"X-Tokens: abc"), 200, "no rule uses it there")
        expect(ask(proxy, b"/v1/tokens", b"X-Tokens: 1000"), 200, "nothing was charged")
        expect(ask(proxy, b"/v1/tokens", b"X-Tokens: 1"), 429)


def test_a_missing_header_keeps_the_other_descriptors():
    with stage(ENVOY, [(ACTIONS, OPTIONAL + ACTIONS)], CLIENT_RULES) as (sluice, proxy, app):
        expect([ask(proxy, b"/v1/posts") for _ in range(3)], [200, 200, 429])
        expect(ask(proxy, b"/private/a"), 429)
        expect(len(app.seen), 2)
        expect(warnings(sluice), {})


def test_a_header_that_makes_the_call_too_large_is_refused():
    with stage(ENVOY, [(ACTIONS, OPTIONAL * 20 + ACTIONS)], CLIENT_RULES) as (sluice, proxy, app):
        expect(ask(proxy, b"/v1/other", b"X-Key: " + b"k" * 1000), 200)
        expect(ask(proxy, b"/private/a", b"X-Key: " + b"k" * 59_000), 429)
        expect(len(app.seen), 1)
        expect(warnings(sluice), {"rls_call_refused": 1})


# Sluice takes the attributes of gRPC callers as they are, so these promises depend on Envoy.
OF_FORWARD_AUTH = {f"test_{promise.__name__}" for promise in path_contract.PROMISES}

run_tests({name: test for name, test in {**tests_of(ENVOY), **globals()}.items()
           if name not in OF_FORWARD_AUTH})
