"""The contract of every proxy before an app with the verdicts of Sluice."""

import json

from scene.hostile_headers import (CHUNKED, HEADS, METHODS, PATH_SIZES, TRAILERS, head)
from scene.proxies import FLAGS, Request, stage
from scene import path_contract, peek
from server import expect, until


def statuses(proxy, *paths, **options):
    return [proxy.ask(path, **options).status for path in paths]


def refused_callers_are_told_and_kept_from_the_app(kind):
    with stage(kind) as (_, proxy, app):
        allowed = proxy.ask("/v1/posts")
        expect((allowed.status, allowed.body), (200, "the app\n"))
        expect(allowed.headers["RateLimit-Policy"], '"posts/h";q=2;w=3600')
        assert allowed.headers["RateLimit"].startswith('"posts/h";r=1;t='), allowed.headers
        expect(proxy.ask("/v1/posts?page=2").status, 200)
        refused = proxy.ask("/v1/posts")
        expect(refused.status, 429)
        expect(refused.headers["RateLimit-Policy"], '"posts/h";q=2;w=3600')
        assert refused.headers["RateLimit"].startswith('"posts/h";r=0;t='), refused.headers
        assert 0 < int(refused.headers["Retry-After"]) <= 1800, refused.headers
        if kind.hands_on_body:
            expect(refused.headers["Content-Type"], "application/problem+json")
            expect(json.loads(refused.body)["violated-policies"], ["posts/h"])
        expect([request.path for request in app.seen], ["/v1/posts", "/v1/posts?page=2"])
        expect(statuses(proxy, "/v1/posts", client="127.0.0.3"), [200], "another client")


def what_no_rule_is_about_passes(kind):
    with stage(kind) as (_, proxy, app):
        replies = [proxy.ask("/v1/other") for _ in range(3)]
        expect([reply.status for reply in replies], [200] * 3)
        expect({reply.headers["RateLimit"] for reply in replies}, {None})
        expect(len(app.seen), 3)


def a_denial_keeps_its_status(kind):
    with stage(kind) as (_, proxy, app):
        expect(statuses(proxy, "/private/a", "/closed/a"), list(kind.denied))
        expect(len(app.seen), kind.denied.count(200))


def shadow_refuses_nobody_and_counts(kind):
    with stage(kind) as (sluice, proxy, app):
        expect(statuses(proxy, *["/v1/search"] * 3), [200] * 3)
        expect(len(app.seen), 3)
        decision, = peek(sluice.address, "edge", {"ip": "127.0.0.2", "path": "/v1/search"})
        expect((decision["mode"], decision["allowed"], decision["remaining"]), ("shadow", False, 0))


def a_path_is_one_however_it_is_written(kind):
    with stage(kind) as (_, proxy, app):
        expect(statuses(proxy, "/v1//posts", "/v1/./posts", "/v1/%70osts"), [200, 200, 429])
        expect(statuses(proxy, "/v1/x/../posts", "/v1/posts"), [429, 429])
        expect(len(app.seen), 2)


def bodies_reach_the_app_whole(kind):
    body = "a line\n" * 1000
    for away in (False, True):
        with stage(kind) as (sluice, proxy, app):
            if away:
                sluice.kill()
            reply = proxy.ask("/v1/posts", method="POST", body=body)
            expect(reply.status, 200, f"away: {away}")
            expect(app.seen, [Request("POST", "/v1/posts", body)])


def what_a_client_says_it_is_does_not_count(kind):
    with stage(kind) as (_, proxy, app):
        lies = [{"X-Forwarded-For": f"198.51.100.{i}", "Forwarded": f"for=198.51.100.{i}",
                 "X-Original-URI": "/v1/other", "X-Forwarded-Uri": "/v1/other",
                 "X-Original-Method": "PUT", "X-Forwarded-Method": "PUT",
                 "X-Forwarded-Host": "other", "X-Real-IP": f"198.51.100.{i}"} for i in range(3)]
        expect([proxy.ask("/v1/posts", headers=lie).status for lie in lies], [200, 200, 429])
        expect(len(app.seen), 2)


def nothing_in_a_request_gets_past_a_denial(kind):
    """No header, method or length that a client can choose makes a denied request pass."""
    denied = "/private/a"
    requests = {name: (head("GET", denied, headers), b"") for name, headers in HEADS.items()}
    requests.update({f"POST with {name}": (head("POST", denied, headers), b"")
                     for name, headers in HEADS.items() if "Content-Length" not in dict(headers)})
    requests["trailers"] = (head("POST", denied, CHUNKED), TRAILERS)
    requests["an absolute target"] = (head("GET", "http://other.example" + denied, []), b"")
    requests["HTTP/1.0"] = (head("GET", denied, []).replace(b"HTTP/1.1", b"HTTP/1.0"), b"")
    for method in METHODS:
        requests[f"the method {method[:40]}"] = (head(method, denied, []), b"")
    for size in PATH_SIZES:
        requests[f"a path of {size} bytes"] = (head("GET", denied + "a" * size, []), b"")
        requests[f"a query of {size} bytes"] = (head("GET", denied + "?" + "a" * size, []), b"")
    with stage(kind) as (_, proxy, app):
        passed = {}
        for name, (bytes_, body) in requests.items():
            status, said = proxy.send(bytes_, body)
            assert proxy.process.poll() is None, f"{name}: the proxy ended"
            # Envoy replies to refused gRPC clients with 200 and a status in the headers.
            refused = status != 200 or said["grpc-status"] not in (None, "0")
            if app.seen or not refused:
                passed[name] = status
            app.seen.clear()
        expect(passed, {}, "requests that got past a denial")
        expect(statuses(proxy, "/v1/other", denied), [200, kind.denied[0]],
               "the proxy serves on")


def it_fails_open(kind):
    with stage(kind) as (sluice, proxy, app):
        expect(statuses(proxy, *["/v1/posts"] * 3), [200, 200, 429])
        sluice.kill()
        expect(statuses(proxy, *["/v1/posts"] * 3), [200] * 3)
        expect(len(app.seen), 5)
        sluice.start(FLAGS, listen=sluice.address)
        until(lambda: proxy.ask("/v1/posts").status == 429, "a server that is back is asked again")


def it_fails_closed_where_told_to(kind):
    with stage(kind, kind.fail_closed) as (sluice, proxy, app):
        expect(statuses(proxy, "/v1/posts"), [200])
        sluice.kill()
        expect(statuses(proxy, *["/v1/posts"] * 3), [kind.away_status] * 3)
        expect(len(app.seen), 1)
        sluice.start(FLAGS, listen=sluice.address)
        until(lambda: proxy.ask("/v1/posts").status == 200, "a server that is back is asked again")


PROMISES = (
    refused_callers_are_told_and_kept_from_the_app,
    what_no_rule_is_about_passes,
    a_denial_keeps_its_status,
    shadow_refuses_nobody_and_counts,
    a_path_is_one_however_it_is_written,
    bodies_reach_the_app_whole,
    what_a_client_says_it_is_does_not_count,
    nothing_in_a_request_gets_past_a_denial,
    it_fails_open,
    it_fails_closed_where_told_to,
)


def tests_of(kind):
    """Returns the tests of a proxy, by name."""
    return {f"test_{promise.__name__}": lambda promise=promise: promise(kind)
            for promise in (*PROMISES, *path_contract.PROMISES)}
