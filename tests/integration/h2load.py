"""h2load: many concurrent requests, none of which fails or is charged twice."""

import json
import re
import tempfile

from scene import Server, peek, run
from server import expect, run_tests

# The limit is so high that no request is refused; its window counts how many were charged.
LIMIT = 1_000_000
RULES = f"""
domain: api
rules:
  - name: all
    per: [user]
    limit: {{ rate: {LIMIT}/year, algorithm: fixed_window, window: first_request }}
"""
COUNT = 5000


def field(number, value):
    return bytes([number << 3 | 2, len(value)]) + value


def load(server, path, body, *flags):
    """Runs h2load and checks how many of its requests succeeded."""
    with tempfile.NamedTemporaryFile() as file:
        file.write(body)
        file.flush()
        said = run("h2load", "-n", str(COUNT), "-c", "10", "-d", file.name, *flags,
                   f"http://{server.address}{path}")
    ended = re.search(r"requests: (\d+) total, \d+ started, (\d+) done, (\d+) succeeded, "
                      r"(\d+) failed, (\d+) errored, (\d+) timeout", said)
    assert ended, said
    expect([int(n) for n in ended.groups()], [COUNT, COUNT, COUNT, 0, 0, 0], path)


def charged(server, user):
    decision, = peek(server.address, "api", {"user": user})
    return LIMIT - decision["remaining"]


def json_check(user):
    return json.dumps({"domain": "api", "attributes": {"user": user}}).encode()


def test_checks_over_http2():
    with Server(RULES) as server:
        load(server, "/v1/check", json_check("1"), "-m", "100", "-H",
             "content-type: application/json")
        expect(charged(server, "1"), COUNT)


def test_checks_over_http1():
    with Server(RULES) as server:
        load(server, "/v1/check", json_check("1"), "--h1", "-m", "8", "-H",
             "content-type: application/json")
        expect(charged(server, "1"), COUNT)


def test_rate_limit_calls_over_grpc():
    message = field(1, b"api") + field(2, field(1, field(1, b"user") + field(2, b"1")))
    with Server(RULES) as server:
        load(server, "/envoy.service.ratelimit.v3.RateLimitService/ShouldRateLimit",
             b"\0" + len(message).to_bytes(4, "big") + message, "-m", "100", "-H",
             "content-type: application/grpc", "-H", "te: trailers")
        expect(charged(server, "1"), COUNT)


run_tests(globals())
