#!/usr/bin/env python3
"""Checks the server against openapi.yaml and docs/http-api.md.  usage: http_api.py SLUICE"""

import http.client
import json
import os
import re
import sys

PROJECT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.insert(0, os.path.join(PROJECT, "tests", "support"))

import jsonschema  # noqa: E402
import yaml  # noqa: E402
from server import Server, ask, expect, run_tests, send  # noqa: E402
from urllib.request import Request  # noqa: E402

with open(os.path.join(PROJECT, "src/frontend/http/openapi.yaml"), encoding="utf-8") as file:
    DOCUMENT = file.read()
API = yaml.safe_load(DOCUMENT)
with open(os.path.join(PROJECT, "docs/http-api.md"), encoding="utf-8") as file:
    PAGE = file.read()

RULES = """
domain: api
rules:
  - { name: private, match: { path: /private }, action: deny }
  - { name: posts, match: { path: /v1/posts }, per: [user], limit: 2/m }
  - { name: busy, match: { path: /busy }, limit: 1/d, status: 503 }
  - { name: paced, match: { path: /paced }, limit: { rate: 10/s, algorithm: pacer, max_wait: 1m } }
  - { name: watched, match: { path: /watched }, limit: 1/d, mode: shadow }
"""
TOKEN = "0123456789abcdef"


def serve():
    return Server(RULES, ["--callers-token", TOKEN])


def resolve(node):
    while "$ref" in node:
        inner = API
        for part in node["$ref"][2:].split("/"):
            inner = inner[part]
        node = inner
    return node


def hold(path, method, status, headers, body):
    """Fails unless the document allows this reply."""
    responses = API["paths"][path][method]["responses"]
    assert str(status) in responses, f"{method} {path}: {status} is not documented: {body}"
    content = resolve(responses[str(status)]).get("content")
    if content is None:
        return
    kind = headers["Content-Type"]
    assert kind in content, f"{method} {path}: {status} has the type {kind}"
    schema = {**content[kind]["schema"], "components": API["components"]}
    value = json.loads(body) if kind.endswith("json") else body
    jsonschema.Draft202012Validator(schema).validate(value)


def call(server, path, body, headers=None):
    status, told, text = ask(server.address, path, body, headers)
    hold(path, "post", status, told, text)
    return status, json.loads(text)


def about(path, user="42"):
    return {"domain": "api", "attributes": {"user": user, "path": path}}


def test_the_document_is_served_unchanged():
    with serve() as server:
        status, headers, body = ask(server.address, "/openapi.yaml")
        expect((status, headers["Content-Type"], body), (200, "application/yaml", DOCUMENT))
        status, headers, body = send(Request(f"http://{server.address}/openapi.yaml", b"",
                                             method="POST"))
        expect((status, headers["Allow"]), (405, "GET, HEAD"))
        hold("/openapi.yaml", "get", status, headers, body)


def test_every_kind_of_reply_is_documented():
    with serve() as server:
        asked = [call(server, "/v1/check", about(path))[0]
                 for path in ("/v1/posts", "/v1/posts", "/v1/posts", "/private", "/busy", "/busy",
                              "/paced", "/paced", "/watched", "/watched", "/")]
        expect(asked, [200, 200, 429, 403, 200, 503, 200, 200, 200, 200, 200])
        call(server, "/v1/check", {**about("/paced"), "cost": 100})
        status, verdict = call(server, "/v1/check", about("/paced"))
        assert status == 200 and verdict["wait_ms"] > 0, verdict
        expect(call(server, "/v1/check", {**about("/v1/posts"), "cost": 3})[1]["retry_after_ms"],
               "never")
        several = {"checks": [about("/v1/posts"), about("/private"), {"domain": "none"}]}
        status, verdicts = call(server, "/v1/check", several)
        expect((status, [each["allowed"] for each in verdicts]), (200, [False] * 3))


def test_every_kind_of_error_is_documented():
    with serve() as server:
        for body, wanted in (({}, 400), ({"domain": "none"}, 404), ({"domian": "api"}, 400),
                             ({"domain": "api", "cost": -1}, 400), ([], 400)):
            expect(call(server, "/v1/check", body)[0], wanted, body)
        for path in ("/v1/check", "/v1/peek", "/v1/refund", "/v1/reset", "/json"):
            status, headers, body = ask(server.address, path)  # GET
            expect(status, 405, path)
            hold(path, "post", status, headers, body)
        status, headers, body = ask(server.address, "/v1/check", about("/"),
                                    {"Content-Type": "text/plain"})
        expect(status, 415)
        hold("/v1/check", "post", status, headers, body)


def test_lifting_limits_needs_the_token():
    with serve() as server:
        token = {"Authorization": f"Bearer {TOKEN}"}
        for path in ("/v1/refund", "/v1/reset"):
            refused, _ = call(server, path, about("/v1/posts"))
            assert refused in (401, 403), refused
            expect(call(server, path, about("/v1/posts"), token)[0], 200, path)


def test_envoys_format_is_documented():
    descriptor = {"entries": [{"key": "path", "value": "/v1/posts"},
                              {"key": "user", "value": "7"}]}
    with serve() as server:
        asked = [call(server, "/json", {"domain": "api", "descriptors": [descriptor]})
                 for _ in range(3)]
        expect([status for status, _ in asked], [200, 200, 429])
        expect(asked[0][1]["statuses"][0]["code"], "OK")
        expect(call(server, "/json", {"domain": "api"})[0], 400)


def test_envoys_format_may_use_snake_case():
    schema = {**API["components"]["schemas"]["RateLimitRequest"], "components": API["components"]}
    entries = [{"key": "path", "value": "/v1/posts"}, {"key": "user", "value": "8"}]
    camel = {"domain": "api", "hitsAddend": 1, "descriptors": [
        {"entries": entries, "hitsAddend": "1", "isNegativeHits": False,
         "limit": {"requestsPerUnit": 9, "unit": "HOUR", "unitMultiplier": 1}}]}
    snake = json.loads(re.sub("(?<=[a-z])[A-Z](?=[a-z])", lambda found: "_" + found[0].lower(),
                              json.dumps(camel)))
    with serve() as server:
        for body in (camel, snake):
            jsonschema.Draft202012Validator(schema).validate(body)
            # A lift without permission is ignored, so a bad credential gives no 401.
            status, headers, text = ask(server.address, "/json", body,
                                        {"Authorization": "Bearer wrong"})
            expect(status, 200, text)
            hold("/json", "post", status, headers, text)
    assert "401" not in API["paths"]["/json"]["post"]["responses"]


def test_malformed_http_is_documented():
    with serve() as server, server.connect() as connection:
        connection.sendall(b"X" * 100 + b" /v1/check HTTP/1.1\r\nHost: a\r\n\r\n")
        reply = http.client.HTTPResponse(connection)
        reply.begin()
        expect(reply.status, 400)
        for path in ("/v1/check", "/v1/peek", "/v1/refund", "/v1/reset", "/json"):
            hold(path, "post", reply.status, reply.headers, "the method is too long\n")


def test_forward_auth_is_documented():
    with serve() as server:
        for path, wanted in (("posts", 200), ("private", 403)):
            status, headers, body = ask(server.address, f"/auth/api/{path}")
            expect(status, wanted, path)
            hold("/auth/{domain}/{path}", "get", status, headers, body)


def test_the_page_names_every_call():
    for path in API["paths"]:
        shown = path.replace("{domain}/{path}", "DOMAIN")
        assert re.search(rf"`[A-Z]+ {re.escape(shown)}", PAGE), path


def test_the_page_shows_real_replies():
    """Every request on the page is valid; the replies shown are those to the first one."""
    requests = re.findall(r"(?ms)^```json request POST (\S+)\n(.*?)^```$", PAGE)
    replies = {int(status): json.loads(body) for status, body in
               re.findall(r"(?ms)^```json reply (\d+)\n(.*?)^```$", PAGE)}
    assert len(requests) == 4 and set(replies) == {200, 429}, (requests, replies)
    with serve() as server:
        for path, body in requests:
            expect(call(server, path, json.loads(body))[0], 200, body)
        path, body = requests[0]
        told = dict(call(server, path, {**json.loads(body), "attributes":
                                        {"user": "new", "path": "/v1/posts"}}) for _ in range(3))
        for status, shown in replies.items():
            expect(told[status].keys(), shown.keys())
            expect(told[status]["decisions"][0].keys(), shown["decisions"][0].keys())
            assert told[status].get("type") == shown.get("type"), told[status]


run_tests(globals())
