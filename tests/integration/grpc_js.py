"""node's @grpc/grpc-js: Envoy's service, sluice.v1.Limiter and health."""

import os

from scene import PROJECT, Server, run_node
from server import expect, run_tests

RULES = """
domain: api
rules:
  - { name: posts, match: { path: /v1/posts }, per: [user], limit: 2/h }
---
domain: messaging
descriptors:
  - key: to
    rate_limit: { unit: year, requests_per_unit: 5 }
"""


def test_grpc_js():
    with Server(RULES) as server:
        said = run_node("grpc_js_client.js", server.address, os.path.join(PROJECT, "proto"))
        expect((said["codes"].count("OK"), said["codes"].count("OVER_LIMIT")), (5, 995))
        expect(said["bad"], {"error": "INVALID_ARGUMENT"})
        expect([verdict["allowed"] for verdict in said["checks"]], [True, True, False])
        expect(said["checks"][2]["status"], 429)
        expect((said["reset"]["allowed"], said["again"]["allowed"]), (True, True))
        expect((said["health"]["status"], said["watch"]["status"]), ("SERVING", "SERVING"))


run_tests(globals())
