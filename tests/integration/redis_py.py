"""redis-py, in RESP2 and RESP3."""

import itertools
import threading
import time

import scene
from scene import Server
from server import expect, run_tests, until
from scene.throttle import AS_UNITS_COME_BACK, AT_ONCE, ERRORS, THROTTLED

scene.use_venv()

import redis  # noqa: E402
from redis.backoff import NoBackoff  # noqa: E402
from redis.retry import Retry  # noqa: E402

RULES = """
domain: api
rules:
  - { name: posts, match: { path: /v1/posts }, per: [user], limit: 2/h }
"""
PROTOCOLS = (2, 3)
CHECK = ("SLUICE.CHECK", "api", "path", "/v1/posts", "user")


def client(server, protocol=2, **options):
    return redis.Redis(port=server.port, protocol=protocol, decode_responses=True, **options)


def throttle(connection, key, arguments):
    return connection.execute_command("CL.THROTTLE", key, *arguments.split())


def test_sequences_of_throttle():
    with Server(RULES) as server:
        for protocol, (name, steps) in itertools.product(PROTOCOLS, AT_ONCE.items()):
            with client(server, protocol) as connection:
                found = [throttle(connection, f"{name} {protocol}", step) for step, _ in steps]
            expect(found, [reply for _, reply in steps], name)


def throttle_as_units_come_back(connection, key):
    """Returns the reply to each step, and whether all of them came within their second."""
    found = [throttle(connection, key, step) for step, _ in AT_ONCE["throttled"]]
    in_time = True
    for reset_after, step, _ in AS_UNITS_COME_BACK:
        polled = [time.monotonic()]

        def is_back(most=reset_after, polled=polled):
            polled.append(time.monotonic())
            return throttle(connection, key, f"{THROTTLED} 0")[4] <= most

        until(is_back, f"the key is as if never used in {reset_after} s")
        found.append(throttle(connection, key, step))
        in_time = in_time and time.monotonic() - polled[-2] < 0.9
    return found, in_time


def test_units_return():
    wanted = [reply for _, reply in AT_ONCE["throttled"]]
    wanted += [reply for *_, reply in AS_UNITS_COME_BACK]
    with Server(RULES) as server, client(server) as connection:
        for number in range(10):
            found, in_time = throttle_as_units_come_back(connection, f"k{number}")
            if in_time:
                break
        assert in_time, "the machine stood still for a second, ten times"
        expect(found, wanted)
        expect(throttle(connection, "cell", "0 1 2"), [0, 1, 0, -1, 2])
        until(lambda: throttle(connection, "cell", "0 1 2 0")[2] == 1, "a unit is back")
        expect(throttle(connection, "cell", "0 1 2"), [0, 1, 0, -1, 2])


def test_errors_of_throttle():
    with Server(RULES) as server, client(server) as connection:
        for arguments in ERRORS:
            try:
                raise AssertionError(f"{arguments}: {throttle(connection, 'k', arguments)}")
            except redis.ResponseError:
                expect(connection.ping(), True, "the connection goes on")


def test_a_default_transactional_pipeline():
    with Server(RULES) as server:
        for protocol in PROTOCOLS:
            with client(server, protocol) as connection:
                pipeline = connection.pipeline()
                for _ in range(3):
                    pipeline.execute_command("CL.THROTTLE", f"t{protocol}", 1, 1, 3600)
                pipeline.execute_command(*CHECK, f"t{protocol}")
                pipeline.ping()
                *throttled, checked, pong = pipeline.execute()
                expect([reply[:3] for reply in throttled], [[0, 2, 1], [0, 2, 0], [1, 2, 0]])
                expect((checked["allowed"] if protocol == 3 else checked[0], pong), (1, True))
                try:
                    with connection.pipeline() as watching:
                        watching.watch("k")
                    raise AssertionError("it can be watched")
                except redis.ResponseError as error:
                    assert "WATCH is not supported" in str(error), error
                expect(connection.ping(), True, "the connection goes on")


def test_pipelines():
    with Server(RULES) as server:
        for protocol in PROTOCOLS:
            with client(server, protocol) as connection:
                pipeline = connection.pipeline(transaction=False)
                for _ in range(1000):
                    pipeline.execute_command("CL.THROTTLE", f"p{protocol}", 99, 1, 3600)
                replies = pipeline.execute()
                expect([reply[0] for reply in replies], [0] * 100 + [1] * 900)
                expect([reply[2] for reply in replies[:100]], list(range(99, -1, -1)))


def test_checks_by_rules():
    with Server(RULES) as server:
        with client(server, 2) as connection:
            replies = [connection.execute_command(*CHECK, "two") for _ in range(3)]
            expect([reply[0] for reply in replies], [1, 1, 0])
            expect(replies[0], [1, 2, 1, 0, 1_800_000, "posts", 0])
        with client(server, 3) as connection:
            replies = [connection.execute_command(*CHECK, "three") for _ in range(3)]
            expect([reply["allowed"] for reply in replies], [1, 1, 0])
            expect(replies[0], {"allowed": 1, "limit": 2, "remaining": 1, "retry_after_ms": 0,
                                "reset_after_ms": 1_800_000, "rule": "posts", "wait_ms": 0})
            none = connection.execute_command("SLUICE.CHECK", "api", "user", "three")
            expect((none["allowed"], none["limit"], none["rule"]), (1, -1, None))


def test_commands_on_connecting():
    token = "sixteen bytes at least"
    with Server(RULES, ["--callers-token", token]) as server:
        for protocol in PROTOCOLS:
            with client(server, protocol, client_name="a-name", username="default", password=token,
                        health_check_interval=1, socket_keepalive=True) as connection:
                expect(connection.ping(), True)
                expect(connection.client_getname(), "a-name")
                expect(connection.client_id() > 0, True)
                expect(connection.client_info()["name"], "a-name")
                expect(connection.echo("a text"), "a text")
                assert "cl.throttle" in connection.command(), connection.command()
                connection.info()
            try:
                client(server, protocol, password="wrong", retry=Retry(NoBackoff(), 0)).ping()
                raise AssertionError("a wrong password was taken")
            except redis.AuthenticationError:
                pass


def test_many_threads_share_a_pool():
    with Server(RULES) as server, client(server, 3) as connection:
        allowed = []

        def ask():
            for _ in range(100):
                allowed.append(throttle(connection, "shared", "49 1 3600")[0] == 0)

        threads = [threading.Thread(target=ask) for _ in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        expect((len(allowed), sum(allowed)), (800, 50))


run_tests(globals())
