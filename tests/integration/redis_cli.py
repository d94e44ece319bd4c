"""redis-cli, in RESP2 and RESP3, with single commands and in bulk."""

import itertools

from scene import Server, run
from server import expect, run_tests
from scene.throttle import AT_ONCE, ERRORS

RULES = """
domain: api
rules:
  - { name: posts, match: { path: /v1/posts }, per: [user], limit: 2/h }
"""
PROTOCOLS = ("-2", "-3")


def cli(server, *arguments, given=""):
    return run("redis-cli", "-p", str(server.port), *arguments, given=given)


def test_sequences_of_throttle():
    with Server(RULES) as server:
        for protocol, (name, steps) in itertools.product(PROTOCOLS, AT_ONCE.items()):
            said = cli(server, protocol, "--json", given="".join(
                f'CL.THROTTLE "{name} {protocol}" {arguments}\n' for arguments, _ in steps))
            expect(said.splitlines(), [str(reply).replace(" ", "") for _, reply in steps], name)


def test_errors_of_throttle():
    with Server(RULES) as server:
        for arguments in ERRORS:
            said = cli(server, "CL.THROTTLE", "k", *arguments.split())
            assert said.startswith("ERR "), f"{arguments}: {said}"


def test_checks_by_rules():
    check = ("SLUICE.CHECK", "api", "path", "/v1/posts", "user")
    with Server(RULES) as server:
        expect(cli(server, *check, "1").splitlines(),
               ["1", "2", "1", "0", "1800000", "posts", "0"])
        said = cli(server, "-3", "--json", *check, "2")
        expect(said, '{"allowed":1,"limit":2,"remaining":1,"retry_after_ms":0,'
               '"reset_after_ms":1800000,"rule":"posts","wait_ms":0}\n')
        expect(cli(server, *check[:1], "nowhere", "user", "1")[:4], "ERR ")


def test_commands_of_operators():
    with Server(RULES) as server:
        expect(cli(server, "PING"), "PONG\n")
        expect(cli(server, "-x", "ECHO", given="a text"), "a text\n")
        assert "redis_version" in cli(server, "INFO"), cli(server, "INFO")
        assert cli(server, "GET", "a").startswith("ERR unknown command"), cli(server, "GET", "a")


def test_commands_in_bulk():
    command = "*5\r\n$11\r\nCL.THROTTLE\r\n$4\r\nbulk\r\n$2\r\n99\r\n$1\r\n1\r\n$4\r\n3600\r\n"
    with Server(RULES) as server:
        said = cli(server, "--pipe", given=command * 10_000)
        assert "errors: 0, replies: 10000" in said, said
        expect(cli(server, "--json", "CL.THROTTLE", "bulk", "99", "1", "3600", "0")[:9],
               "[0,100,0,")


run_tests(globals())
