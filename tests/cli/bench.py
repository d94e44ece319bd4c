"""`sluice bench` against a real server and against misbehaving ones. Checks counts, never times."""

import json
import os
import pty
import signal
import socket
import subprocess
import sys
import tempfile
import threading

PROJECT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.insert(0, os.path.join(PROJECT, "tests", "support"))

from ports import free_port  # noqa: E402
from server import DEADLINE_SECONDS, SLUICE, Server, expect, run_tests  # noqa: E402

RULES = """
domain: api
attributes: { user: header.x-user-id }
rules:
  - { name: users, per: [user], limit: 100/h }
"""

# Each protocol has a key of its own with 100 units per hour.
BY_PROTOCOL = {
    "http": ["--domain", "api", "--attribute", "user=h{key}"],
    "rls": ["--domain", "api", "--attribute", "user=g{key}"],
    "forward-auth": ["--domain", "api", "--attribute", "header.x-user-id=f{key}", "path=/x"],
    "resp": ["--command", "CL.THROTTLE {key} 99 100 3600 1"],
}


def command(server, *args):
    return [SLUICE, "bench", "--server", server, *args]


def bench(server, *args):
    done = subprocess.run(command(server, *args), capture_output=True, text=True,
                          timeout=DEADLINE_SECONDS, check=False)
    return done.returncode, done.stdout, done.stderr


def measure(server, *args):
    """Returns the report of a successful run."""
    code, said, error = bench(server, *args, "-o", "json")
    expect((code, error), (0, ""), args)
    return json.loads(said)


def counts(report):
    return tuple(report[name] for name in ("requests", "allowed", "refused", "errors"))


def test_100_of_1000_pass_over_each_protocol():
    with Server(RULES) as server:
        for protocol, flags in BY_PROTOCOL.items():
            report = measure(server.address, "--protocol", protocol, *flags, "--keys", "1",
                             "--requests", "1000")
            expect(counts(report), (1000, 100, 900, 0), protocol)
            expect((report["protocol"], report["loop"]), (protocol, "closed"))


def test_no_request_is_lost_or_counted_twice():
    with Server(RULES) as server:
        for number, flags in enumerate((
                ["--pipeline", "16"], ["--connections", "1"], ["--threads", "2"],
                ["--rate", "20000"], ["--rate", "20000", "--threads", "2", "--pipeline", "3"])):
            report = measure(server.address, "--domain", "api", "--attribute", f"user=n{number}",
                             "--requests", "1001", *flags)
            expect(counts(report), (1001, 100, 901, 0), flags)
        report = measure(server.address, "--protocol", "rls", "--domain", "api", "--attribute",
                         "user=streams", "--requests", "1001", "--streams", "300",
                         "--connections", "2")
        expect(counts(report), (1001, 100, 901, 0), "streams")
        report = measure(server.address, "--protocol", "resp", "--requests", "1001", "--pipeline",
                         "100", "--command", "SLUICE.CHECK api user piped")
        expect(counts(report), (1001, 100, 901, 0), "pipeline")


def test_an_open_loop_sends_rate_times_duration():
    with Server(RULES) as server:
        report = measure(server.address, "--domain", "api", "--rate", "150", "--duration", "2s")
        expect((report["requests"], report["errors"], report["loop"]), (300, 0, "open"))
        report = measure(server.address, "--domain", "api", "--rate", "100", "--duration", "1s",
                         "--warm-up", "500ms", "--protocol", "rls")
        expect((report["requests"], report["errors"]), (100, 0), "without the warm-up")


def test_keys_by_distribution():
    with Server(RULES) as server:
        report = measure(server.address, "--domain", "api", "--attribute", "user=s{key}", "--keys",
                         "10", "--distribution", "sequential", "--requests", "1010")
        expect(counts(report), (1010, 1000, 10, 0), "101 for each of ten")
        report = measure(server.address, "--domain", "api", "--attribute", "user=u{key}", "--keys",
                         "1000000", "--requests", "1000")
        expect(counts(report), (1000, 1000, 0, 0), "uniform over many")
        for name in ("hot", "zipf"):
            report = measure(server.address, "--domain", "api", "--attribute",
                             f"user={name}{{key}}", "--keys", "1000", "--distribution", name,
                             "--requests", "2000")
            assert report["refused"] > 100, report


def test_measures_any_http_server():
    with Server(RULES) as server:
        report = measure(server.admin, "--method", "GET", "--path", "/healthz", "--requests", "100")
        expect(counts(report), (100, 100, 0, 0))
        code, said, error = bench(server.address, "--method", "GET", "--path", "/no/{key}",
                                  "--requests", "10", "-o", "json")
        report = json.loads(said)
        expect((code, report["errors"], report["causes"]), (3, 10, {"status 404": 10}))
        expect(error, "sluice bench: none of 10 requests got a verdict; the most common error: "
                      "status 404 (10 of them)\n")


def test_measures_any_resp_server():
    with Server(RULES) as server:
        report = measure(server.address, "--protocol", "resp", "--command", "ECHO {key}",
                         "--requests", "100", "--pipeline", "10")
        expect(counts(report), (100, 100, 0, 0))
        code, said, error = bench(server.address, "--protocol", "resp", "--command",
                                  "NONSENSE {key}", "--requests", "10", "--keys", "1", "-o",
                                  "json")
        report = json.loads(said)
        expect((code, counts(report)), (3, (10, 0, 0, 10)))
        assert "unknown command" in str(report["causes"]), report
        assert "none of 10 requests got a verdict" in error, error


def test_an_admin_address_is_not_measured():
    with Server(RULES) as server:
        for protocol in ("http", "rls", "forward-auth"):
            code, _, error = bench(server.admin, "--protocol", protocol, "--domain", "api",
                                   "--attribute", "header.x-user-id=1" if protocol ==
                                   "forward-auth" else "user=1", "--requests", "10")
            expect(code, 3, protocol)
            assert "(10 of them); it is the admin address of a server" in error, error


def test_each_protocol_sends_the_token_and_never_prints_it():
    token = "a-token-of-callers"
    with tempfile.NamedTemporaryFile("w", suffix=".txt") as right, \
            tempfile.NamedTemporaryFile("w", suffix=".txt") as wrong:
        print(token, file=right, flush=True)
        print(token + "s", file=wrong, flush=True)
        with Server(RULES, flags=["--callers-token", token]) as server:
            for protocol, flags in BY_PROTOCOL.items():
                code, said, error = bench(server.address, "--protocol", protocol, *flags,
                                          "--requests", "50", "--token-file", right.name, "-o",
                                          "json")
                expect((code, counts(json.loads(said))), (0, (50, 50, 0, 0)), protocol)
                assert token not in said + error, said + error
            code, _, error = bench(server.address, "--protocol", "resp", "--requests", "50",
                                   "--token-file", wrong.name)
            expect(code, 3)
            assert "does not take the token: WRONGPASS" in error and token not in error, error


def test_expectations_set_the_exit_code_and_are_named():
    with Server(RULES) as server:
        flags = ["--domain", "api", "--attribute", "user=e", "--requests", "200"]
        code, said, error = bench(server.address, *flags, "--expect", "errors=0", "p99>=0ns",
                                  "--expect", "allowed=100")
        expect((code, error), (0, ""))
        code, said, error = bench(server.address, *flags, "--expect", "errors=0", "allowed>0")
        expect(code, 1)
        expect(error, "sluice bench: expected allowed>0, found 0\n")
        assert "not met" in said, said
        code, said, error = bench(server.address, *flags, "-o", "json", "--expect", "refused<5")
        expect(code, 1)
        expect(json.loads(said)["expectations"],
               [{"expected": "refused<5", "found": "200", "met": False}])


def test_progress_is_printed_only_on_request():
    with Server(RULES) as server:
        flags = ["--domain", "api", "--rate", "100", "--duration", "1200ms"]
        expect(bench(server.address, *flags)[2], "")
        # There are more lines if the run took longer than a second.
        lines = bench(server.address, *flags, "--progress")[2].splitlines()
        expect([line.split()[0] for line in lines],
               [f"{number}s" for number in range(1, max(len(lines), 1) + 1)])
        terminal, inside = pty.openpty()
        subprocess.run(command(server.address, *flags), stdout=subprocess.DEVNULL, stderr=inside,
                       timeout=DEADLINE_SECONDS, check=True)
        os.close(inside)
        assert os.read(terminal, 4096).startswith(b"1s  "), "on a terminal"
        os.close(terminal)


def test_an_interrupted_run_prints_its_report():
    with Server(RULES) as server:
        process = subprocess.Popen(
            command(server.address, "--domain", "api", "--duration", "1h", "-o", "json",
                    "--progress"),
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        process.stderr.readline()  # the first second has passed
        process.send_signal(signal.SIGINT)
        said, _ = process.communicate(timeout=DEADLINE_SECONDS)
        expect(process.returncode, 0)
        report = json.loads(said)
        assert report["requests"] > 0 and report["errors"] == 0, report


class Misbehaving:
    """Serves each connection by a function, until the context ends."""

    def __init__(self, serve):
        self.listening = socket.create_server(("127.0.0.1", 0))
        self.address = "%s:%d" % self.listening.getsockname()
        self.serve = serve
        self.over = threading.Event()
        self.threads = [threading.Thread(target=self.accept)]
        self.threads[0].start()

    def accept(self):
        while True:
            connection, _ = self.listening.accept()
            if self.over.is_set():
                connection.close()
                return
            self.threads.append(threading.Thread(target=self.one, args=(connection,)))
            self.threads[-1].start()

    def one(self, connection):
        with connection:
            try:
                self.serve(connection, self.over)
            except OSError:
                pass  # the peer has closed the connection

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.over.set()
        socket.create_connection(self.listening.getsockname()).close()
        for thread in self.threads:
            thread.join()
        self.listening.close()


OK = b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n"
LAST = b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"
GET = ["--method", "GET", "--path", "/"]


def serve_ten_and_close(connection, _):
    """Serves ten requests per connection, like a server that bounds them."""
    file = connection.makefile("rb")
    for number in range(10):
        while file.readline() not in (b"\r\n", b""):
            pass
        connection.sendall(OK if number < 9 else LAST)
    # Closing with unread requests would make the system drop the last reply.
    connection.shutdown(socket.SHUT_WR)
    while connection.recv(65536):
        pass


def test_reconnecting_causes_no_errors():
    with Misbehaving(serve_ten_and_close) as server:
        for pipeline in ("1", "4"):
            report = measure(server.address, *GET, "--requests", "205", "--connections", "3",
                             "--pipeline", pipeline)
            expect(counts(report), (205, 205, 0, 0), pipeline)


def serve_one_and_hang(connection, over):
    connection.recv(65536)
    connection.sendall(OK)
    over.wait(DEADLINE_SECONDS)


def test_a_request_without_an_answer_is_an_error():
    with Misbehaving(serve_one_and_hang) as server:
        report = measure(server.address, *GET, "--requests", "4", "--connections", "1",
                         "--timeout", "1s")
        expect((report["requests"], report["causes"]),
               (4, {"timed out": report["errors"]}))
        assert report["allowed"] > 0 and report["errors"] > 0, report


def serve_one_and_break(connection, _):
    connection.recv(65536)
    connection.sendall(OK)
    connection.recv(65536)


def test_a_broken_connection_is_an_error_for_each_request_in_flight():
    with Misbehaving(serve_one_and_break) as server:
        report = measure(server.address, *GET, "--requests", "20", "--connections", "1")
        expect(counts(report), (20, 10, 0, 10))
        expect(report["causes"], {"the connection was closed": 10})


def serve_slowly(connection, over):
    """Serves at most ten requests per second."""
    while connection.recv(65536) and not over.wait(0.1):
        connection.sendall(OK)


def test_an_open_loop_that_cannot_keep_up_sends_every_request():
    with Misbehaving(serve_slowly) as server:
        report = measure(server.address, *GET, "--rate", "1000", "--duration", "500ms",
                         "--connections", "1", "--timeout", "3s")
        expect(report["requests"], 500)
        assert report["causes"]["not sent in time"] > 400, report
        # One request was due per millisecond and answered after a hundred. If latency did not count
        # from when they were due, all would have the same latency.
        latency = report["latency_ns"]
        assert latency["max"] >= latency["min"] + 99_000_000 * (report["allowed"] - 1), report


def test_the_backlog_of_a_warm_up_is_not_counted():
    with Misbehaving(serve_slowly) as server:
        code, said, error = bench(server.address, *GET, "--rate", "1000", "--warm-up", "500ms",
                                  "--duration", "300ms", "--connections", "1", "--timeout", "3s",
                                  "-o", "json")
        report = json.loads(said)
        expect((report["requests"], report["causes"]["not sent in time"]), (300, 300))
        expect(code, 3, error)


def drip(connection, over):
    """Sends a reply that never ends, although every read returns some of it."""
    connection.recv(65536)
    connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 1000000\r\n\r\n")
    while not over.wait(0.02):
        connection.sendall(b"x")


def serve_one_and_drip(connection, over):
    connection.recv(65536)
    connection.sendall(OK)
    drip(connection, over)


def test_a_reply_that_never_ends_is_an_error():
    for amount in (["--requests", "4"], ["--duration", "2s"], ["--rate", "10", "--duration", "2s"]):
        flags = [*GET, *amount, "--connections", "1", "--timeout"]
        with Misbehaving(drip) as server:
            code, _, error = bench(server.address, *flags, "200ms")
            expect(code, 3, amount)
            assert "gave no answer in 200ms" in error, error
        with Misbehaving(serve_one_and_drip) as server:
            report = measure(server.address, *flags, "1s")
            assert report["allowed"] > 0 and report["causes"]["timed out"] > 0, report


def test_requests_in_flight_at_the_end_are_bounded_by_the_timeout():
    def serve_one_by_one(connection, over):
        """Is never silent for as long as the timeout, but takes twice as long in total."""
        connection.recv(65536)
        while not over.wait(0.1):
            connection.sendall(OK)

    with Misbehaving(serve_one_by_one) as server:
        report = measure(server.address, *GET, "--duration", "50ms", "--connections", "1",
                         "--pipeline", "60", "--timeout", "3s")
        assert report["allowed"] > 0 and report["causes"]["timed out"] > 0, report


def frame(kind, flags, payload=b""):
    """Returns an HTTP/2 frame about the connection."""
    return len(payload).to_bytes(3, "big") + bytes([kind, flags, 0, 0, 0, 0]) + payload


def go_away(connection):
    """Sends a GOAWAY that reports that no request was processed."""
    connection.sendall(frame(4, 0))
    connection.recv(65536)
    connection.sendall(frame(4, 1) + frame(7, 0, bytes(8)))
    while connection.recv(65536):
        pass


def test_a_server_that_never_processes_a_request():
    for amount in (["--requests", "4"], ["--duration", "100ms"]):
        with Misbehaving(lambda connection, _: go_away(connection)) as server:
            code, _, error = bench(server.address, "--protocol", "rls", "--domain", "api", *amount,
                                   "--connections", "2", "--timeout", "300ms")
            expect(code, 3, amount)
            assert "in 300ms" in error, error


def test_a_server_that_first_processes_no_request():
    connections = []

    def relay(connection, over):
        connections.append(connection)
        if len(connections) <= 3:
            return go_away(connection)
        with socket.create_connection(inner.address.rsplit(":", 1)) as other:
            back = threading.Thread(target=copy, args=(other, connection))
            back.start()
            copy(connection, other)
            back.join()

    def copy(source, target):
        while said := source.recv(65536):
            target.sendall(said)
        target.shutdown(socket.SHUT_WR)

    with Server(RULES) as inner, Misbehaving(relay) as server:
        report = measure(server.address, "--protocol", "rls", *BY_PROTOCOL["rls"], "--keys", "1",
                         "--requests", "200", "--connections", "2")
        expect(counts(report), (200, 100, 100, 0))


def test_unanswered_requests_do_not_prolong_the_run():
    with Misbehaving(serve_one_and_hang) as server:
        report = measure(server.address, *GET, "--duration", "2s", "--connections", "1",
                         "--timeout", "3s")
        expect((counts(report), report["seconds"]), ((2, 1, 0, 1), 2.0))


def test_a_server_that_cannot_be_measured():
    address = f"127.0.0.1:{free_port()}"
    code, said, error = bench(address, *GET)
    expect((code, said), (3, ""))
    assert f"cannot connect to {address}: Connection refused" in error, error
    with Misbehaving(lambda connection, _: connection.recv(65536)) as server:
        code, _, error = bench(server.address, *GET, "--requests", "1")
        expect(code, 3)
        assert "closed a connection without any answer" in error, error
    with Misbehaving(lambda connection, over: over.wait(DEADLINE_SECONDS)) as server:
        code, _, error = bench(server.address, *GET, "--requests", "1", "--timeout", "100ms")
        expect(code, 3)
        assert "gave no answer in 100ms" in error, error
    for protocol, flags in BY_PROTOCOL.items():
        said = b"HTTP/1.1 400 No\r\n\r\n" if protocol in ("resp", "rls") else b"-ERR no\r\n"

        def other(connection, over, said=said):
            connection.recv(65536)
            connection.sendall(said)
            over.wait(DEADLINE_SECONDS)

        with Misbehaving(other) as server:
            code, _, error = bench(server.address, "--protocol", protocol, *flags, "--requests",
                                   "1", "--connections", "1")
            expect(code, 3, protocol)
            assert "does not speak the protocol" in error, error


def test_a_server_that_goes_away_is_noticed():
    with Server(RULES) as server:
        process = subprocess.Popen(
            command(server.address, "--domain", "api", "--duration", "1h", "--timeout", "3s",
                    "--progress"),
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        process.stderr.readline()
        server.process.kill()
        _, error = process.communicate(timeout=DEADLINE_SECONDS)
        expect(process.returncode, 3)
        assert f"cannot connect to {server.address}" in error, error


class Crowded:
    """Closes one of two connections after its first answer, and accepts no more: the queue of
    pending connections is full, so the system does not answer further attempts."""

    def __init__(self):
        self.listening = socket.socket()
        self.listening.bind(("127.0.0.1", 0))
        self.listening.listen(1)
        self.address = "%s:%d" % self.listening.getsockname()
        self.waiting = [socket.socket() for _ in range(5)]
        self.thread = threading.Thread(target=self.serve)
        self.thread.start()

    def serve(self):
        first, _ = self.listening.accept()
        other, _ = self.listening.accept()
        with first:
            first.recv(65536)
            for each in self.waiting:
                each.setblocking(False)
                each.connect_ex(self.listening.getsockname())
            first.sendall(OK)
        with other:
            while other.recv(65536):
                other.sendall(OK)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.thread.join()
        for each in (self.listening, *self.waiting):
            each.close()


def test_a_failing_reconnect_does_not_delay_other_connections():
    with Crowded() as server:
        report = measure(server.address, *GET, "--rate", "100", "--duration", "1s", "--connections",
                         "2", "--timeout", "5s")
        expect(report["requests"], 100)
        assert report["errors"] <= 1, report


def test_invalid_commands():
    for flags, words in ((["--protocol", "htp", "--domain", "d"], "'http'"),
                         ([], "expected --domain"),
                         (["--domain", "d", "--rate", "0"], "--rate: expected"),
                         (["--domain", "d", "--requests", "1", "--duration", "1s"], "found both"),
                         (["--domain", "d", "--expect", "p99"], "--expect: "),
                         (["--domain", "d", "--streams", "2"], "--streams is not for http"),
                         (["--domain", "d", "--command", "X"], "--command is not for http"),
                         (["--protocol", "resp", "--domain", "d"], "--domain is not for resp"),
                         (["--protocol", "resp", "--command", " "], "--command: "),
                         (["--method", "PUT", "--domain", "d"], "expected GET or POST"),
                         (["--method", "GET", "--domain", "d"], "is not for GET"),
                         (["--method", "GET", "--path", "x y"], "--path: "),
                         (["--domain", "d", "--threads", "11"], "--connections: "),
                         (["--domain", "d", "--keys", "0"], "--keys: "),
                         (["--domain", "d", "--duration", "0s"], "--duration: "),
                         (["--domain", "d", "--distribution", "zip"], "'zipf'"),
                         (["--domain", "d", "--attribute", "user"], "--attribute: expected"),
                         (["--protocol", "forward-auth", "--domain", "d", "--attribute", "user=1"],
                          "forward-auth carries")):
        code, said, error = bench("127.0.0.1:1", *flags)
        expect((code, said), (2, ""), flags)
        assert words in error, (flags, error)


def test_an_unknown_domain_is_reported():
    with Server(RULES) as server:
        for protocol in ("http", "rls", "forward-auth"):
            code, said, error = bench(server.address, "--protocol", protocol, "--domain", "aip",
                                      "--attribute", "header.x-user-id=1" if protocol ==
                                      "forward-auth" else "user=1", "--requests", "10")
            expect(code, 3, protocol)
            assert "requests" in said, said
            expect(error, f"sluice bench: {server.address} has no rules for the domain 'aip', so "
                          "no limit applied\n", protocol)


run_tests(globals())
