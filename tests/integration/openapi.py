"""schemathesis: requests made from the OpenAPI document, good and bad ones, against the server.

Every reply must have a documented status, type and shape; what the document calls valid must be
accepted and what it calls invalid must be refused.
"""

import os
import random

from scene import INTEGRATION, VENV, Server, run, tool
from server import run_tests

RULES = """
domain: api
rules:
  - { name: private, match: { path: /private }, action: deny }
  - { name: users, per: [user], limit: 2/h }
"""
TOKEN = "0123456789abcdef"
EXAMPLES_PER_CALL = "40"
DEADLINE_SECONDS = 250  # it takes about 20 s where nothing else runs


def test_the_server_keeps_to_its_document():
    seed = os.environ.get("SLUICE_SEED") or str(random.SystemRandom().randrange(1 << 32))
    print(f"replay with SLUICE_SEED={seed}")
    schemathesis = tool("st", os.path.join(VENV, "bin", "st"))
    with Server(RULES, ["--callers-token", TOKEN]) as server:
        run(schemathesis, "run", f"http://{server.address}/openapi.yaml",
            "--url", f"http://{server.address}", "--header", f"Authorization: Bearer {TOKEN}",
            # Forward auth serves every method; the permission is a matter of tests/cli.
            "--checks", "all", "--exclude-checks", "unsupported_method,ignored_auth",
            "--max-examples", EXAMPLES_PER_CALL, "--seed", seed, "--continue-on-failure",
            "--workers", "1", timeout=DEADLINE_SECONDS, cwd=server.folder.name,
            env={**os.environ, "SCHEMATHESIS_HOOKS": "whole_numbers",
                 "PYTHONPATH": os.path.join(INTEGRATION, "scene")})


run_tests(globals())
