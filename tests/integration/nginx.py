"""nginx with auth_request, as examples/nginx has it."""

from scene.proxy_contract import tests_of
from scene.proxies import Kind
from scene import tool
from server import run_tests

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

run_tests(tests_of(NGINX))
