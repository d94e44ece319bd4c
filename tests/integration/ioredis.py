"""ioredis, in RESP3 and RESP2, with its ready check and in pipelines."""

import json

from scene import Server, run_node
from server import expect, run_tests
from scene.throttle import AT_ONCE, ERRORS

RULES = """
domain: api
rules:
  - { name: posts, match: { path: /v1/posts }, per: [user], limit: 2/h }
"""


def test_ioredis():
    sequences = {name: [step for step, _ in steps] for name, steps in AT_ONCE.items()}
    with Server(RULES) as server:
        said = run_node("ioredis_client.js", str(server.port), json.dumps(sequences),
                        json.dumps(ERRORS))
        expect(said["sequences"],
               {name: [reply for _, reply in steps] for name, steps in AT_ONCE.items()})
        for arguments, error in zip(ERRORS, said["errors"], strict=True):
            assert error.startswith("ERR "), f"{arguments}: {error}"
        expect([reply[2] for reply in said["pipeline"]], [*range(99, -1, -1)] + [0] * 900)
        expect([reply[0] for reply in said["pipeline"]], [0] * 100 + [1] * 900)
        # A map, which ioredis returns as a list.
        expect(said["check"][0], ["allowed", 1, "limit", 2, "remaining", 1, "retry_after_ms", 0,
                                  "reset_after_ms", 1_800_000, "rule", "posts", "wait_ms", 0])
        expect([reply[1] for reply in said["check"]], [1, 1, 0])
        expect(said["check_2"], [1, 2, 1, 0, 1_800_000, "posts", 0])
        expect((said["name"], said["status"]), ("a-name", "ready"))


run_tests(globals())
