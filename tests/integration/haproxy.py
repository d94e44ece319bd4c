"""HAProxy with an action in Lua, as examples/haproxy has it."""

from scene.proxy_contract import tests_of
from scene.proxies import Kind
from scene import tool
from server import run_tests

HAPROXY = Kind(
    folder="haproxy",
    file="haproxy.cfg",
    command=[tool("haproxy", "/usr/sbin/haproxy"), "-db", "-f", "haproxy.cfg"],
    patience=[("timeout server 100ms", "timeout server 60s")],
    fail_closed=[("auth/edge open ", "auth/edge closed ")],
    away_status=503)

run_tests(tests_of(HAPROXY))
