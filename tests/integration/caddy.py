"""Caddy with forward_auth, as in examples/caddy."""

from scene.proxy_contract import tests_of
from scene.proxies import Kind
from scene import tool
from server import run_tests

FAIL_OPEN = """\
	handle_errors {
		@unasked not vars sluice asked
		reverse_proxy @unasked 127.0.0.1:8000
	}
"""

CADDY = Kind(
    folder="caddy",
    file="Caddyfile",
    command=[tool("caddy"), "run", "--config", "Caddyfile", "--adapter", "caddyfile"],
    patience=[("response_header_timeout 100ms", "response_header_timeout 60s")],
    fail_closed=[(FAIL_OPEN, "")],
    away_status=502)

run_tests(tests_of(CADDY))
