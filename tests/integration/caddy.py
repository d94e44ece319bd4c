"""Caddy with forward_auth, as in examples/caddy."""

from scene.proxy_contract import tests_of
from scene.proxies import Kind, stage
from scene import tool
from server import expect, run_tests

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



def test_the_query_of_a_client_is_no_option_of_the_call():
    with stage(CADDY) as (_, proxy, _app):
        expect([proxy.ask(f"/v1/other?deny={value}").status for value in ("1", "403")], [200, 200])


run_tests({**tests_of(CADDY), "test_query_of_a_client_is_no_option_of_the_call":
           test_the_query_of_a_client_is_no_option_of_the_call})
