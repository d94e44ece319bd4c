"""A misconfigured nginx before Sluice: no request passes silently."""

from scene import tool
from scene.proxies import FLAGS, Kind, stage
from server import ask, expect, run_tests

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
    fail_closed=[],
    away_status=500)

WITHOUT_URI = [("    proxy_set_header X-Original-URI $request_uri;\n", "")]
ANOTHER_DOMAIN = [("/auth/edge?deny=403", "/auth/egde?deny=403")]
# The X-Forwarded-For of the client reaches Sluice unchanged.
ONLY_FORWARDED = [("proxy_set_header X-Forwarded-For $remote_addr;",
                   "proxy_set_header X-Forwarded-For $http_x_forwarded_for;"
                   'proxy_set_header Forwarded "for=$remote_addr";')]


def said(sluice):
    return ask(sluice.admin, "/readyz?verbose")[2].splitlines()[2:]


def test_an_untrusted_proxy_is_refused_and_reported():
    with stage(NGINX, flags=["--trusted-proxies", "192.0.2.0/24"]) as (sluice, proxy, app):
        expect([proxy.ask("/v1/other").status for _ in range(3)], [403] * 3)
        expect(app.seen, [])
        assert "'127.0.0.1' sends headers of a proxy" in sluice.line("untrusted_proxy")
        expect(said(sluice), ["untrusted_proxy: 3 calls ('127.0.0.1')"])
        metrics = ask(sluice.admin, "/metrics")[2]
        assert 'sluice_warnings_total{cause="untrusted_proxy"} 3\n' in metrics, metrics


def test_a_call_without_the_original_path_is_refused_and_reported():
    with stage(NGINX, WITHOUT_URI) as (sluice, proxy, app):
        expect(proxy.ask("/v1/other").status, 403)
        expect(app.seen, [])
        assert "'127.0.0.1' calls forward auth without" in sluice.line("no_original_request")
        expect(said(sluice), ["no_original_request: 1 call ('127.0.0.1')"])


def test_an_unknown_domain_passes_and_is_reported():
    with stage(NGINX, ANOTHER_DOMAIN) as (sluice, proxy, _):
        expect(proxy.ask("/private/a").status, 200)
        assert "the domain 'egde' has no rules" in sluice.line("unknown_domain")
        expect(said(sluice), ["unknown_domain: 1 call ('egde')"])


def test_an_unknown_domain_is_refused_if_configured():
    flags = [*FLAGS, "--unknown-domain", "refuse"]
    with stage(NGINX, ANOTHER_DOMAIN, flags=flags) as (sluice, proxy, app):
        expect(proxy.ask("/v1/other").status, 403)
        expect(app.seen, [])
        assert "the domain 'egde' has no rules" in sluice.line("unknown_domain")


def test_a_client_cannot_name_itself_if_the_proxy_sets_only_forwarded():
    lies = [{"X-Forwarded-For": f"198.51.100.{i}"} for i in range(3)]
    with stage(NGINX, ONLY_FORWARDED) as (_, proxy, app):
        expect([proxy.ask("/v1/posts", headers=lie).status for lie in lies], [403] * 3)
        expect([proxy.ask("/v1/posts").status for _ in range(3)], [200, 200, 429])
        expect(len(app.seen), 2)
    flags = [*FLAGS, "--client-header", "forwarded"]
    with stage(NGINX, ONLY_FORWARDED, flags=flags) as (_, proxy, app):
        expect([proxy.ask("/v1/posts", headers=lie).status for lie in lies], [200, 200, 429])
        expect(len(app.seen), 2)


run_tests(globals())
