"""nginx with limits per user, as in examples/nginx/per_user.conf: the identity service names the
user, whatever the client sends."""

import contextlib
import http.server
import threading

from scene import Server, tool
from scene.proxies import APP_PORT, FLAGS, SLUICE_PORT, App, Kind, Proxy
from ports import free_port
from server import DEADLINE_SECONDS, expect, run_tests

IDENTITY_PORT = "8001"
LIMIT = 2
TOKENS = {"Bearer of-ann": "ann", "Bearer of-bob": "bob"}
RULES = f"""
domain: edge
attributes: {{ user: header.x-user-id }}
rules:
  - {{ name: users, per: [user], limit: {LIMIT}/h }}
"""

MAIN = """
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
  include per_user.conf;
}
"""

NGINX = Kind(
    folder="nginx",
    file="per_user.conf",
    command=[tool("nginx", "/usr/sbin/nginx"), "-p", ".", "-c", "main.conf"],
    more={"main.conf": MAIN},
    patience=[("proxy_read_timeout 100ms", "proxy_read_timeout 60s")],
    fail_closed=[],
    away_status=None)


class IdentityHandler(http.server.BaseHTTPRequestHandler):
    """Returns the user of a token, or replies 401."""

    protocol_version = "HTTP/1.1"
    timeout = DEADLINE_SECONDS

    def do_GET(self):  # the name is required by BaseHTTPRequestHandler
        user = TOKENS.get(self.headers.get("Authorization"))
        self.send_response(200 if user else 401)
        if user:
            self.send_header("X-User-Id", user)
        self.send_header("Content-Length", "0")
        self.end_headers()

    def log_message(self, *_):
        pass


@contextlib.contextmanager
def identity_service():
    service = http.server.ThreadingHTTPServer(("127.0.0.1", 0), IdentityHandler)
    service.handle_error = lambda *_: None
    thread = threading.Thread(target=service.serve_forever)
    thread.start()
    try:
        yield service.server_address[1]
    finally:
        service.shutdown()
        thread.join()
        service.server_close()


@contextlib.contextmanager
def proxy_to_app():
    with App() as app, identity_service() as identity:
        with Server(RULES, FLAGS, listen=f"127.0.0.1:{free_port()}") as node:
            ports = {APP_PORT: str(app.port), SLUICE_PORT: str(node.port),
                     IDENTITY_PORT: str(identity)}
            with Proxy(NGINX, ports, ()) as proxy:
                yield proxy, app


def ask(proxy, token, **headers):
    return proxy.ask("/v1/posts", headers={"Authorization": token, **headers}).status


def test_each_user_has_a_limit():
    with proxy_to_app() as (proxy, _):
        for token in TOKENS:
            expect([ask(proxy, token) for _ in range(LIMIT + 1)], [200] * LIMIT + [429])


def test_the_clients_own_user_header_is_ignored():
    with proxy_to_app() as (proxy, app):
        statuses = [ask(proxy, "Bearer of-ann", **{"X-User-Id": f"other-{i}"})
                    for i in range(LIMIT + 2)]
        expect(statuses, [200] * LIMIT + [429, 429])
        expect(len(app.seen), LIMIT)
        # The units of the other users that it named are unspent.
        expect([ask(proxy, "Bearer of-bob", **{"X-User-Id": "ann"}) for _ in range(LIMIT)],
               [200] * LIMIT)


def test_a_caller_without_identity_is_refused_before_the_limit():
    with proxy_to_app() as (proxy, app):
        expect(ask(proxy, "Bearer forged", **{"X-User-Id": "ann"}), 401)
        expect(app.seen, [])


run_tests(globals())
