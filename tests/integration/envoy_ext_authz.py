"""Envoy with ext_authz over HTTP, as examples/envoy/ext_authz.yaml has it."""

from scene.proxy_contract import tests_of
from scene.proxies import Kind
from scene import VENV, tool
from server import run_tests

ENVOY = Kind(
    folder="envoy",
    file="ext_authz.yaml",
    command=[tool("envoy", VENV + "/bin/envoy"), "--use-dynamic-base-id", "--concurrency", "1",
             "--log-level", "warning", "-c", "ext_authz.yaml"],
    patience=[("timeout: 0.1s", "timeout: 60s")],
    fail_closed=[("failure_mode_allow: true", "failure_mode_allow: false")],
    away_status=503,
    denied=(403, 200))  # 503 is a failure to Envoy, and it fails open

run_tests(tests_of(ENVOY))
