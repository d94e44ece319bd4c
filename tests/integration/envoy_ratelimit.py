"""Envoy with its global rate limit filter, as examples/envoy/ratelimit.yaml has it."""

from scene.proxy_contract import tests_of
from scene.proxies import Kind, stage
from scene import VENV, tool
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


def test_grpc_callers_are_told_in_their_own_way():
    with stage(ENVOY) as (_, proxy, app):
        replies = [proxy.ask("/v1/posts", method="POST", headers={
            "Content-Type": "application/grpc", "TE": "trailers"}) for _ in range(3)]
        expect([reply.status for reply in replies], [200] * 3)
        expect([reply.headers["grpc-status"] for reply in replies],
               [None, None, str(RESOURCE_EXHAUSTED)])
        expect(len(app.seen), 2)


run_tests({**tests_of(ENVOY), **globals()})
