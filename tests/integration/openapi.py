"""schemathesis: valid and invalid requests generated from the OpenAPI document, against the server.

Every reply must have a documented status, type and shape. The server must accept what the document
calls valid and refuse what it calls invalid.
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
DEADLINE_SECONDS = 250  # it takes about 20 s on an idle machine


def test_the_server_conforms_to_its_document():
    seed = os.environ.get("SLUICE_SEED") or str(random.SystemRandom().randrange(1 << 32))
    print(f"replay with SLUICE_SEED={seed}")
    schemathesis = tool("st", os.path.join(VENV, "bin", "st"))
    with Server(RULES, ["--callers-token", TOKEN]) as server:
        run(schemathesis, "run", f"http://{server.address}/openapi.yaml",
            "--url", f"http://{server.address}", "--header", f"Authorization: Bearer {TOKEN}",
            # Forward auth serves every method; permissions are tested in tests/cli.
            "--checks", "all", "--exclude-checks", "unsupported_method,ignored_auth",
            "--max-examples", EXAMPLES_PER_CALL, "--seed", seed, "--continue-on-failure",
            "--workers", "1", timeout=DEADLINE_SECONDS, cwd=server.folder.name,
            env={**os.environ, "SCHEMATHESIS_HOOKS": "whole_numbers",
                 "PYTHONPATH": os.path.join(INTEGRATION, "scene")})


run_tests(globals())
