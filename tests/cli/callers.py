"""Permission to lift limits at a running `sluice serve`, and the log entries about it."""

import json
import os
import socket
import sys
import tempfile
import time

PROJECT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.insert(0, os.path.join(PROJECT, "tests", "support"))

from server import DEADLINE_SECONDS, Server, ask, expect, run_tests  # noqa: E402

RULES = """
domain: api
rules:
  - { name: posts, match: { path: /v1/posts }, per: [user], limit: 2/h }
descriptors:
  - key: to
    rate_limit: { unit: hour, requests_per_unit: 1 }
"""
REQUEST = {"domain": "api", "attributes": {"user": "42", "path": "/v1/posts"}}
TOKEN = "a-token-of-callers"


def check(server):
    return ask(server.address, "/v1/check", REQUEST)[0]


def reset(server, **headers):
    return ask(server.address, "/v1/reset", REQUEST, headers)


def reset_at(path):
    """Returns the status of a reset over a Unix socket."""
    body = json.dumps(REQUEST).encode()
    with socket.socket(socket.AF_UNIX) as connection:
        connection.settimeout(DEADLINE_SECONDS)
        connection.connect(path)
        connection.sendall(b"POST /v1/reset HTTP/1.1\r\nHost: h\r\nConnection: close\r\n"
                           b"Content-Type: application/json\r\nContent-Length: %d\r\n\r\n"
                           % len(body) + body)
        return int(connection.makefile("rb").readline().split()[1])


def test_http_over_loopback_lifts_nothing():
    with Server(RULES) as server:
        expect([check(server) for _ in range(3)], [200, 200, 429])
        status, headers, body = reset(server)
        expect((status, headers["WWW-Authenticate"]), (403, None))
        assert "callers" in json.loads(body)["detail"], body
        expect(ask(server.address, "/v1/refund", REQUEST)[0], 403)
        expect(check(server), 429)
        assert "a reset by 127.0.0.1:" in server.line("lift_refused")
        verbose = ask(server.admin, "/readyz?verbose")[2]
        assert "lift_refused: 2 calls ('127.0.0.1')\n" in verbose, verbose
        metrics = ask(server.admin, "/metrics")[2]
        assert 'sluice_warnings_total{cause="lift_refused"} 2\n' in metrics, metrics


def test_the_loopback_setting_permits_lifts_and_each_is_audited():
    with Server(RULES, ["--callers-loopback"]) as server:
        expect([check(server) for _ in range(3)], [200, 200, 429])
        expect(reset(server)[0], 200)
        expect(check(server), 200)
        line = server.line("limits_lifted")
        assert line.startswith("reset by 127.0.0.1:"), line
        keys = "domain 'api', 'user'='42', 'path'='/v1/posts'"
        assert line.endswith(f", allowed by loopback; {keys}"), line
        expect(reset(server, Origin="http://evil.example")[0], 403, "a web page")
        assert "sluice_lifts_total 1\n" in ask(server.admin, "/metrics")[2]


def test_a_token_permits_lifts_and_wrong_tokens_are_logged_and_delayed():
    with Server(RULES, ["--callers-token", TOKEN]) as server:
        expect([check(server) for _ in range(3)], [200, 200, 429])
        status, headers, _ = reset(server)
        expect((status, headers["WWW-Authenticate"]), (401, "Bearer"))
        begin = time.monotonic()
        expect([reset(server, Authorization="Bearer another-token-" + end)[0] for end in "ab"],
               [401, 401])
        assert time.monotonic() - begin >= 2, "they are answered late"
        assert "the token that 127.0.0.1:" in server.line("wrong_credential")
        expect(check(server), 429)
        expect(reset(server, Authorization=f"Bearer {TOKEN}")[0], 200)
        assert ", allowed by callers.token; " in server.line("limits_lifted")
        expect(check(server), 200)
        verbose = ask(server.admin, "/readyz?verbose")[2]
        assert "wrong_credential: 2 calls ('127.0.0.1')\n" in verbose, verbose


def test_wrong_passwords_over_resp_are_logged_and_delayed():
    with Server(RULES, ["--callers-token", TOKEN]) as server, server.connect() as connection:
        begin = time.monotonic()
        connection.sendall(b"*2\r\n$4\r\nAUTH\r\n$5\r\nwrong\r\n*1\r\n$4\r\nPING\r\n")
        said = connection.makefile("rb")
        assert said.readline().startswith(b"-WRONGPASS"), "the password is wrong"
        assert time.monotonic() - begin >= 1, "it is answered late"
        expect(said.readline(), b"+PONG\r\n")
        assert "the password that 127.0.0.1:" in server.line("wrong_credential")


def test_the_servers_user_may_lift_over_a_unix_socket():
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "socket")
        with Server(RULES, listen=f"unix:{path}") as server:
            expect(reset_at(path), 200)
            line = server.line("limits_lifted")
            assert line.startswith(f"reset by uid {os.geteuid()} at a Unix socket, "), line


def test_rls_ignores_and_reports_lifts_without_permission():
    call = {"domain": "api", "descriptors": [
        {"entries": [{"key": "to", "value": "42"}],
         "limit": {"requestsPerUnit": 9, "unit": "HOUR"}}]}
    with Server(RULES) as server:
        expect([ask(server.address, "/json", call)[0] for _ in range(2)], [200, 429])
        assert "a limit override by 127.0.0.1:" in server.line("lift_ignored")
        verbose = ask(server.admin, "/readyz?verbose")[2]
        assert "lift_ignored: 2 calls ('127.0.0.1')\n" in verbose, verbose


run_tests(globals())
