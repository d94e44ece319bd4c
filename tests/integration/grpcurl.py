"""grpcurl, which discovers the services by reflection."""

import json
import subprocess

from scene import TOOLS, Server, tool
from server import DEADLINE_SECONDS, expect, run_tests

GRPCURL = tool("grpcurl", TOOLS + "/bin/grpcurl")
RULES = """
domain: api
rules:
  - { name: posts, match: { path: /v1/posts }, per: [user], limit: 2/h }
---
domain: messaging
descriptors:
  - key: to
    rate_limit: { unit: year, requests_per_unit: 1 }
"""
SERVICES = [
    "envoy.service.ratelimit.v3.RateLimitService",
    "grpc.health.v1.Health",
    "grpc.reflection.v1.ServerReflection",
    "grpc.reflection.v1alpha.ServerReflection",
    "sluice.v1.Limiter",
]


def grpcurl(server, *arguments, given=None):
    """Returns the exit code and the output. The exit code of an error is 64 plus the status."""
    flags = ["-plaintext"]
    if given is not None:
        flags += ["-d", json.dumps(given)]
    done = subprocess.run([GRPCURL, *flags, server.address, *arguments], capture_output=True,
                          text=True, timeout=DEADLINE_SECONDS, check=False)
    return done.returncode, done.stdout + done.stderr


def call(server, method, given):
    code, said = grpcurl(server, method, given=given)
    expect(code, 0, said)
    return json.loads(said)


def test_list_and_describe():
    with Server(RULES) as server:
        code, said = grpcurl(server, "list")
        expect((code, said.split()), (0, SERVICES))
        for service in SERVICES:
            code, said = grpcurl(server, "describe", service)
            assert code == 0 and f"{service} is a service" in said, said
        _, said = grpcurl(server, "list", "sluice.v1.Limiter")
        expect(said.split(), [f"sluice.v1.Limiter.{method}" for method in
                              ("Check", "CheckBatch", "Peek", "Refund", "Reset")])
        _, said = grpcurl(server, "describe", ".envoy.service.ratelimit.v3.RateLimitRequest")
        assert "uint32 hits_addend = 3;" in said, said
        code, said = grpcurl(server, "describe", "no.such.Service")
        assert code != 0 and "Symbol not found" in said, said


def test_envoys_service():
    given = {"domain": "messaging", "descriptors": [{"entries": [{"key": "to", "value": "1"}]}]}
    method = "envoy.service.ratelimit.v3.RateLimitService/ShouldRateLimit"
    with Server(RULES) as server:
        replies = [call(server, method, given) for _ in range(2)]
        expect([reply["overallCode"] for reply in replies], ["OK", "OVER_LIMIT"])
        status, = replies[0]["statuses"]
        expect((status["code"], status["currentLimit"]["requestsPerUnit"],
                status["currentLimit"]["unit"]), ("OK", 1, "YEAR"))
        code, said = grpcurl(server, method, given={**given, "domain": ""})
        assert code != 0 and "Code: InvalidArgument" in said and "domain" in said, said


def test_the_limiter_service():
    given = {"domain": "api", "attributes": {"user": "1", "path": "/v1/posts"}}
    with Server(RULES) as server:
        verdicts = [call(server, "sluice.v1.Limiter/Check", given) for _ in range(3)]
        expect([verdict.get("allowed", False) for verdict in verdicts], [True, True, False])
        expect(verdicts[2]["status"], 429)
        batch = call(server, "sluice.v1.Limiter/CheckBatch", {"checks": [given, {"domain": "no"}]})
        answers = batch["answers"]
        expect((answers[0]["verdict"]["status"], answers[1]["problem"]["code"]), (429, 5))
        code, said = grpcurl(server, "sluice.v1.Limiter/Check", given={**given, "domain": "no"})
        assert code != 0 and "Code: NotFound" in said, said
        call(server, "sluice.v1.Limiter/Reset", given)
        expect(call(server, "sluice.v1.Limiter/Check", given)["allowed"], True)


def test_health():
    with Server(RULES) as server:
        expect(call(server, "grpc.health.v1.Health/Check", {}), {"status": "SERVING"})
        code, said = grpcurl(server, "grpc.health.v1.Health/Check", given={"service": "no"})
        assert code != 0 and "Code: NotFound" in said, said


run_tests(globals())
