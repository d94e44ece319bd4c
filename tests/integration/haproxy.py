"""HAProxy with an action in Lua, as in examples/haproxy."""

from scene.proxy_contract import tests_of
from scene.proxies import Kind, stage
from scene import tool
from server import expect, run_tests

HAPROXY = Kind(
    folder="haproxy",
    file="haproxy.cfg",
    command=[tool("haproxy", "/usr/sbin/haproxy"), "-db", "-f", "haproxy.cfg"],
    patience=[("timeout server 100ms", "timeout server 60s")],
    fail_closed=[("auth/edge open ", "auth/edge closed ")],
    away_status=503)

# Limits by a cookie and by a header, which HAProxy passes to Sluice.
RULES = """
domain: edge
attributes: { session: cookie.session, user: header.x-user-id }
rules:
  - { name: sessions, per: [session], limit: 1/h }
  - { name: users, per: [user], limit: 1/h }
"""
TELLING = [("open user-agent", "open user-agent,cookie,x-user-id")]


def ask(proxy, *lines):
    head = "".join(line + "\r\n" for line in ("GET / HTTP/1.1", "Host: edge", *lines))
    return proxy.send(head.encode())[0]


def test_cookies_in_several_lines_are_combined():
    with stage(HAPROXY, TELLING, RULES) as (_, proxy, app):
        lines = ["Cookie: a=1", "Cookie: session=me", "Cookie: b=2"]
        expect([ask(proxy, *lines) for _ in range(3)], [200, 429, 429])
        expect(ask(proxy, "Cookie: session=me"), 429, "it is one session however it is sent")
        expect(ask(proxy, "Cookie: session=you", "Cookie: session=me"), 400)
        expect(len(app.seen), 1)


def test_a_header_with_different_values_is_refused():
    with stage(HAPROXY, TELLING, RULES) as (_, proxy, app):
        expect(ask(proxy, "X-User-Id: z", "X-User-Id: me", "X-User-Id: z"), 400)
        expect(ask(proxy, *["X-User-Id: me"] * 3), 200)
        expect(ask(proxy, *["X-User-Id: me"] * 3), 429)
        expect(len(app.seen), 1)


def test_too_many_values_of_a_header_are_refused():
    with stage(HAPROXY, TELLING, RULES) as (_, proxy, app):
        expect(ask(proxy, *["X-User-Id: me"] * 61), 400)
        expect(app.seen, [])
        expect(ask(proxy, *["X-User-Id: me"] * 60), 200, "with the four that say what it is about")
        expect(ask(proxy, "X-User-Id: me"), 429)


run_tests({**tests_of(HAPROXY), **{name: test for name, test in globals().items()
                                   if name.startswith("test_")}})
