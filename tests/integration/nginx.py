"""nginx with auth_request, as in examples/nginx."""

import json

from scene.proxy_contract import tests_of
from scene.proxies import Kind, stage
from scene import tool
from server import expect, run_tests

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
  include ratelimit.conf;
}
"""

NGINX = Kind(
    folder="nginx",
    file="ratelimit.conf",
    command=[tool("nginx", "/usr/sbin/nginx"), "-p", ".", "-c", "main.conf"],
    more={"main.conf": MAIN},
    patience=[("proxy_read_timeout 100ms", "proxy_read_timeout 60s")],
    fail_closed=[("    proxy_intercept_errors on;\n", ""),
                 ("    error_page 500 502 503 504 =204 @unasked;\n", "")],
    away_status=500,
    hands_on_body=False)

TO_SLUICE = [("proxy_pass http://127.0.0.1:8000;", "proxy_pass http://127.0.0.1:8080;")]


def test_nginx_that_forwards_all_paths_gives_its_clients_no_permission():
    attributes = {"ip": "127.0.0.2", "path": "/v1/posts"}
    question = json.dumps({"domain": "edge", "attributes": attributes})
    json_type = {"Content-Type": "application/json"}

    def post(proxy, path, **more):
        return proxy.ask(path, method="POST", body=question, headers={**json_type, **more}).status

    with stage(NGINX, TO_SLUICE) as (_, proxy, _):
        expect([post(proxy, "/v1/check") for _ in range(3)], [200, 200, 429])
        for path in ("/v1/reset", "/v1/refund"):
            expect(post(proxy, path), 403, path)
            expect(post(proxy, path, Authorization="Bearer anything-at-all"), 403, path)
        expect(post(proxy, "/v1/check"), 429)


def test_the_app_reads_the_header_that_was_limited():
    with stage(NGINX) as (_, proxy, app):
        agents = b"User-Agent: z\r\nUser-Agent: me\r\n"
        status, _ = proxy.send(b"GET / HTTP/1.1\r\nHost: edge\r\n" + agents)
        expect((status, [head.get_all("User-Agent") for head in app.heads]), (200, [["z"]]))


run_tests({**globals(), **tests_of(NGINX)})
