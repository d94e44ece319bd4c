"""No client can evade a rule, or reach an allow rule, by its spelling of a path."""

import contextlib
import itertools
import socket

from scene.proxies import stage
from server import DEADLINE_SECONDS, expect

RULES = """
domain: edge
attributes: { user: query.user }
rules:
  - { name: static, match: { path: "/static/*" }, action: allow }
  - { name: private, match: { path: "/private/*" }, action: deny }
  - { name: login, match: { path: /login }, action: deny }
  - { name: coffee, match: { path: /café }, action: deny }
  - { name: v1, match: { path: ["/v1/posts", "/v1/posts/*", "/v1/messages:send"] }, action: deny }
  - { name: host, match: { host: secret.example }, action: deny }
  - { name: users, match: { path: "/users/*" }, per: [user], limit: 1000/h }
"""

DENIED = (
    "/v1/posts", "/v1/posts/", "/v1/posts#1", "/v1/posts#?a", "/v1/posts;a", "/v1%2Fposts",
    "/v1/messages%3Asend", "/v1/messages%3asend",
    "/private/x", "/private%2Fx", "/private%2fx", "/a/..%2fprivate/x", "/private;a=b/x",
    "/a/..;/private/x", "/private\\x", "/private%5Cx", "/..%2f..%2fprivate/x", "//private/x",
    "/./private/x", "/private/x;v=1", "/private/x%00", "/a%00/../private/x", "/x#/../private/x",
    "/caf%C3%A9", "/caf%c3%a9", "/café",
    # The allow rule must not match these.
    "/v1/posts/..%2F..%2Fstatic%2Fx", "/v1/posts/..;/..;/static/x", "/v1/posts/..%5c..%5cstatic/x",
    "/static/..%2Fprivate/x", "/static/..;/private/x",
    # Only some applications see the slash at the end of these.
    "/private/", "/private%2F", "/private%2f", "/private;/", "/private\\", "/x/..%2fprivate%2f",
    # These target applications that are lenient in one way and strict in another.
    "/login;%2Fb", "/login;%5Cb", "/login;%2F..%2Fx", "/private/y;%2F..%2F..%2Fz",
    "/private;%2F..%2F..%2Fz/y", "/static/x;%2Fb%2Fc/..;/..;/private/y",
)
# Spellings that some applications take for a slash. Each path mixes two of these, so an application
# that takes only one of them for a slash could serve /private/x.
SLASHES = ("%2F", "%5c", "\\", ";/", "%3B/")
MIXED = tuple(path for one, other in itertools.permutations(SLASHES, 2) for path in (
    f"/a{one}..{other}private{one}x", f"/private{one}..;{other}..{other}x",
    f"/static/a{one}b{other}..{other}..{other}private{other}x",
    f"/private{one}..{other}..{other}z{one}..{one}x",
))
ALLOWED = ("/static/x", "/static/a%2Fb", "/public", "/private%252Fx", "/users/x?user=1&user=1",
           "/a;v=1/b", "/a%2Fb", "/a/../b", "/static/", "/private")


def status_of(proxy, target, host="shop.example"):
    """Returns the status for a target that is sent as it is; 0 if the connection is closed."""
    with contextlib.closing(socket.create_connection(("127.0.0.1", proxy.port),
                                                     DEADLINE_SECONDS)) as connection:
        connection.sendall(f"GET {target} HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n"
                           .encode())
        head = connection.makefile("rb").readline().decode()
    return int(head.split()[1]) if head else 0


def no_way_to_write_a_path_escapes_its_rule(kind):
    with stage(kind, rules=RULES) as (_, proxy, app):
        for path in DENIED:
            status = status_of(proxy, path)
            assert status == 0 or 400 <= status < 500, f"{path}: {status}"
            expect(app.seen, [], path)
        for path in ALLOWED:
            expect(status_of(proxy, path), 200, path)
        expect(len(app.seen), len(ALLOWED))


def no_mixture_of_spellings_reaches_what_is_denied(kind):
    with stage(kind, rules=RULES) as (_, proxy, app):
        for path in MIXED:
            status_of(proxy, path)
            # A proxy may resolve a path before it calls Sluice; then the app gets the resolved
            # path.
            expect([request.path for request in app.seen if "private" in request.path], [], path)
        expect(status_of(proxy, "/public"), 200)


def a_host_is_one_however_it_is_written(kind):
    with stage(kind, rules=RULES) as (_, proxy, app):
        for host in ("secret.example", "secret.example.", "Secret.Example:443",
                     "SECRET.example.:80"):
            status = status_of(proxy, "/public", host)
            assert 400 <= status < 500, f"{host}: {status}"
        expect(app.seen, [])
        expect(status_of(proxy, "/public", "secret.example.org"), 200)


def a_parameter_that_comes_twice_is_refused(kind):
    with stage(kind, rules=RULES) as (_, proxy, app):
        for query in ("user=1&user=2", "user=1&us%65r=2", "user=1&user[]=2"):
            status = status_of(proxy, f"/users/x?{query}")
            assert 400 <= status < 500, f"{query}: {status}"
        expect(app.seen, [])
        expect(status_of(proxy, "/users/x?page=1&page=2&user=1"), 200)


PROMISES = (
    no_way_to_write_a_path_escapes_its_rule,
    no_mixture_of_spellings_reaches_what_is_denied,
    a_host_is_one_however_it_is_written,
    a_parameter_that_comes_twice_is_refused,
)
