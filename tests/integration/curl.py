"""curl against /v1/check, over HTTP/1.1 and over HTTP/2 with prior knowledge."""

import json

from scene import Server, run
from server import expect, run_tests

RULES = """
domain: api
rules:
  - { name: posts, match: { path: /v1/posts }, per: [user], limit: 2/h }
"""
VERSIONS = {"--http1.1": "1.1", "--http2-prior-knowledge": "2"}


def check(server, version, times, user):
    """Yields body, facts and headers of each of several checks that one curl process sends."""
    body = json.dumps({"domain": "api", "attributes": {"user": user, "path": "/v1/posts"}})
    one = ["--json", body, "-w", "\n%{json}\n%{header_json}\n@@\n",
           f"http://{server.address}/v1/check"]
    # The version is given only once: curl 7.88 fails if it is given again on a reused connection.
    said = run("curl", version, "-sS", *one, *["--next", "-sS", *one] * (times - 1))
    for part in said.split("\n@@\n")[:-1]:
        text, facts, headers = part.split("\n", 2)
        yield json.loads(text), json.loads(facts), json.loads(headers)


def test_the_third_request_of_two_is_refused():
    with Server(RULES) as server:
        for user, (version, spoken) in enumerate(VERSIONS.items()):
            replies = list(check(server, version, 3, str(user)))
            expect([facts["http_code"] for _, facts, _ in replies], [200, 200, 429], version)
            expect({facts["http_version"] for _, facts, _ in replies}, {spoken})
            expect([facts["num_connects"] for _, facts, _ in replies], [1, 0, 0], "connections")
            verdict, _, headers = replies[0]
            expect(verdict["allowed"], True)
            expect(headers["ratelimit-policy"], ['"posts/h";q=2;w=3600'])
            assert "retry-after" not in headers, headers
            problem, _, headers = replies[2]
            expect((problem["allowed"], problem["status"]), (False, 429))
            expect(problem["violated-policies"], ["posts/h"])
            expect(headers["content-type"], ["application/problem+json"])
            assert headers["ratelimit"][0].startswith('"posts/h";r=0;t='), headers
            assert 0 < int(headers["retry-after"][0]) <= 1800, headers


def test_an_offer_to_upgrade_is_ignored():
    with Server(RULES) as server:
        said = run("curl", "-sS", "--http2", "-o", "/dev/null", "-w",
                   "%{http_code} %{http_version}", f"http://{server.address}/auth/api/v1/posts")
        expect(said, "200 1.1")


run_tests(globals())
