"""Connections of `sluice serve`: who is let in, who is told what, and when."""

import os
import sys

PROJECT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.insert(0, os.path.join(PROJECT, "tests", "support"))

from server import Server, ask, expect, run_tests  # noqa: E402

RULES = "domain: api\nrules: [{ name: all, per: [ip], limit: 1000/h }]\n"
BODY = b'{"domain":"api","attributes":{}}'
HEAD = b"POST /v1/check HTTP/1.1\r\nHost: h\r\nContent-Length: %d\r\n\r\n" % len(BODY)


def test_operators_get_in_where_clients_have_taken_all():
    with Server(RULES, ["--bounds-connections", "2"]) as server:
        with server.connect() as first, server.connect() as second, server.connect() as third:
            for each in (first, second):
                each.sendall(HEAD + BODY)
                assert each.recv(4096).startswith(b"HTTP/1.1 200 OK\r\n")
            third.sendall(HEAD + BODY)
            for _ in range(3):
                expect(ask(server.admin, "/healthz")[0], 200)
            first.close()
            assert third.recv(4096).startswith(b"HTTP/1.1 200 OK\r\n"), "it waited for its turn"


run_tests(globals())
