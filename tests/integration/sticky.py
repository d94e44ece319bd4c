"""Proxies before two nodes, which send each user to one of them, as in examples/."""

import contextlib

from scene import VENV, Server, peek, tool
from scene.proxies import APP_PORT, FLAGS, SLUICE_PORT, App, Kind, Proxy
from ports import free_port
from server import expect, run_tests, until

OTHER_PORT = "8082"
# With round robin, an odd number of users reaches both nodes.
LIMIT, USERS, EXTRA = 3, 21, 2
RULES = f"""
domain: edge
attributes: {{ user: header.x-user-id }}
rules:
  - {{ name: users, per: [user], limit: {LIMIT}/h, consistency: local }}
"""

NGINX_MAIN = """
daemon off;
master_process off;
pid nginx.pid;
error_log stderr;
events {}
http {
  access_log off;
  client_body_temp_path body;
  proxy_temp_path proxy;
  fastcgi_temp_path fastcgi;
  uwsgi_temp_path uwsgi;
  scgi_temp_path scgi;
  include sticky.conf;
}
"""


def kind_of(folder, file, command, patience, more=None):
    return Kind(folder=folder, file=file, command=command, patience=patience, fail_closed=[],
                away_status=None, more=more or {})


# Each has the edits that distribute requests by round robin.
NGINX = kind_of("nginx", "sticky.conf",
                [tool("nginx", "/usr/sbin/nginx"), "-p", ".", "-c", "main.conf"],
                [("proxy_read_timeout 100ms", "proxy_read_timeout 60s")],
                {"main.conf": NGINX_MAIN}), [("  hash $http_x_user_id consistent;\n", "")]
HAPROXY = kind_of("haproxy", "sticky.cfg",
                  [tool("haproxy", "/usr/sbin/haproxy"), "-db", "-f", "sticky.cfg"],
                  [("timeout server 100ms", "timeout server 60s")]), [
    ("balance hash req.hdr(x-user-id)\n  hash-type consistent", "balance roundrobin")]
ENVOY = kind_of("envoy", "sticky.yaml",
                [tool("envoy", VENV + "/bin/envoy"), "--use-dynamic-base-id", "--concurrency", "1",
                 "--log-level", "warning", "-c", "sticky.yaml"],
                [("timeout: 0.1s", "timeout: 60s")]), [
    ("lb_policy: RING_HASH", "lb_policy: ROUND_ROBIN")]


@contextlib.contextmanager
def stage(kind, edits=()):
    """Runs two nodes, an app and a proxy before them."""
    def node():
        return Server(RULES, FLAGS, listen=f"127.0.0.1:{free_port()}")
    with App() as app, node() as one, node() as other:
        ports = {APP_PORT: str(app.port), SLUICE_PORT: str(one.port), OTHER_PORT: str(other.port)}
        with Proxy(kind, ports, edits) as proxy:
            proxy.app = app
            yield one, other, proxy


def users():
    return [f"user-{number}" for number in range(USERS)]


def ask(proxy, user):
    return proxy.ask("/", headers={"X-User-Id": user}).status


def allowed(proxy):
    """Sends more requests per user than the limit. Returns how many pass."""
    counts = dict.fromkeys(users(), 0)
    for _ in range(LIMIT + EXTRA):
        for user in counts:
            status = ask(proxy, user)
            assert status in (200, 429), status
            counts[user] += status == 200
    return counts


def used(node, user):
    """Returns the units that a user has taken at a node."""
    decision, = peek(node.address, "edge", {"user": user})
    return LIMIT - decision["remaining"]


def each_user_has_one_limit_at_one_node(kind, _by_turns):
    with stage(kind) as (one, other, proxy):
        expect(allowed(proxy), dict.fromkeys(users(), LIMIT))
        at = {user: (used(one, user), used(other, user)) for user in users()}
        expect(set(at.values()), {(LIMIT, 0), (0, LIMIT)}, "both nodes, and one for each user")


def by_turns_each_user_would_have_two(kind, by_turns):
    with stage(kind, by_turns) as (one, other, proxy):
        counts = allowed(proxy)
        assert min(counts.values()) > LIMIT, counts
        assert all(used(one, user) and used(other, user) for user in users())


def another_node_takes_over(kind, _by_turns):
    with stage(kind) as (one, other, proxy):
        allowed(proxy)
        moved = [user for user in users() if used(one, user)]
        one.kill()
        # The proxy may notice late that a node is down, and requests pass unchecked until then.
        for user in moved:
            until(lambda user=user: ask(proxy, user) == 429, f"{user} is limited again")
            expect(used(other, user), LIMIT)
        for user in set(users()) - set(moved):
            expect(ask(proxy, user), 429, "who was elsewhere stays there")


def the_app_reads_the_user_that_was_limited(kind, _by_turns):
    """Otherwise the request is refused: a client may send the header several times."""
    with stage(kind) as (_, _, proxy):
        for number in range(LIMIT + EXTRA):
            head = f"GET / HTTP/1.1\r\nHost: edge\r\nX-User-Id: {number}\r\nX-User-Id: me\r\n"
            status, _ = proxy.send(head.encode())
            heads = [app_head.get_all("X-User-Id") for app_head in proxy.app.heads]
            # HAProxy passes on both lines, and Sluice then refuses the request.
            expected = (400, []) if kind.folder == "haproxy" else (200, [[str(number)]])
            expect((status, heads), expected)
            proxy.app.heads.clear()


TESTS = {f"test_{kind[0].folder}_{promise.__name__}": lambda kind=kind, promise=promise:
         promise(*kind)
         for kind in (NGINX, HAPROXY, ENVOY)
         for promise in (each_user_has_one_limit_at_one_node, by_turns_each_user_would_have_two,
                         another_node_takes_over, the_app_reads_the_user_that_was_limited)}

run_tests(TESTS)
