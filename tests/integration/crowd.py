"""Ten thousand connections, clients that read slowly or never, and drains under full load."""

import contextlib
import json
import os
import re
import resource
import signal
import socket
import struct
import threading

from scene import Server, peek
from scene.neighbours import CONNECTIONS, PROTOCOLS, RULES, Neighbours, bench, connections
from server import DEADLINE_SECONDS, ask, expect, forget_peak, memory, run_tests, until

COUNT = 10_000
# Further descriptors, for the other clients and for the process itself.
SPARE = 1000

# The limit has so many units that no request is refused; its window counts how many were taken.
UNITS = 1_000_000_000
COUNTED = f"""
---
domain: counted
rules:
  - name: all
    per: [user]
    limit: {{ rate: {UNITS}/year, algorithm: fixed_window, window: first_request }}
"""

PREFACE = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"
SETTINGS, PING, GOAWAY = 4, 6, 7
ACK = 1


def frame(kind, flags=0, stream=0, payload=b""):
    return struct.pack(">IBI", len(payload) << 8 | kind, flags, stream) + payload


def command(*words):
    return b"*%d\r\n" % len(words) + b"".join(b"$%d\r\n%s\r\n" % (len(w), w) for w in words)


class Http1:
    first = again = b"GET /auth/neighbours/x HTTP/1.1\r\nHost: h\r\n\r\n"
    answered_by = re.compile(rb"HTTP/1\.1 200 OK\r\n.*\r\n\r\n", re.DOTALL)
    goodbye = b""


class Http2:
    first = PREFACE + frame(SETTINGS)
    again = frame(PING, payload=b"8 bytes.")
    answered_by = re.compile(b"|".join(map(re.escape, (
        frame(SETTINGS, ACK), frame(PING, ACK, payload=b"8 bytes.")))) + b"$")
    goodbye = frame(GOAWAY, payload=b"8 bytes.")[:9]


class Resp:
    first = again = command(b"PING")
    answered_by = re.compile(rb"\+PONG\r\n")
    goodbye = b""


def hear(connection, kind):
    """Reads until a connection has the reply that it asked for."""
    said = b""
    while not kind.answered_by.search(said):
        part = connection.recv(4096)
        assert part, f"{kind.__name__} was closed after {said!r}"
        said += part


def hear_end(connection):
    """Reads to the end of the connection, which must not be a reset."""
    said = b""
    while part := connection.recv(4096):
        said += part
    return said


def may_open(count):
    """Raises the descriptor limit to its maximum; returns whether it is at least `count`."""
    most = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))
    return most >= count


def test_ten_thousand_connections():
    if not may_open(COUNT + SPARE):
        print(f"skipped test_ten_thousand_connections: ulimit -Hn is below {COUNT + SPARE}")
        return
    kinds = [(Http1, Http2, Resp)[i % 3] for i in range(COUNT)]
    with contextlib.ExitStack() as stack:
        # Some clients stay silent until all are connected.
        server = stack.enter_context(Server(RULES, ["--bounds-connections", str(COUNT + SPARE),
                                                    "--deadlines-header", "1h"]))
        crowd = [stack.enter_context(server.connect()) for _ in kinds]
        for connection, kind in zip(crowd, kinds):
            connection.sendall(kind.first)
        for connection, kind in zip(crowd, kinds):
            hear(connection, kind)
        expect(connections(server), COUNT)
        for protocol, flags in PROTOCOLS.items():
            load = bench(server.address, protocol, *flags, "--requests", "20000", "--expect",
                         "errors=0", "requests=20000", "refused=0")
            said, error = load.communicate(timeout=DEADLINE_SECONDS)
            expect(load.returncode, 0, f"{protocol}: {said}{error}")
        for connection, kind in zip(crowd, kinds):
            connection.sendall(kind.again)
        for connection, kind in zip(crowd, kinds):
            hear(connection, kind)
        expect(connections(server), COUNT, "all of them are still there")
        server.process.send_signal(signal.SIGTERM)
        for connection, kind in zip(crowd, kinds):
            said = hear_end(connection)
            assert said.startswith(kind.goodbye), (kind, said)
        expect(server.process.wait(DEADLINE_SECONDS), 0)


# Refusals are long replies to short requests.
REFUSING = RULES + "---\ndomain: api\nrules: [{ name: all, per: [ip], limit: 1/d }]\n"
REFUSED = b"GET /auth/api/x HTTP/1.1\r\nHost: h\r\n\r\n"
LONG = {"http": REFUSED, "resp": command(b"COMMAND")}


def flood_unread(server, request):
    """Runs a client that never reads and sends until the server takes no more."""
    connection = server.connect()
    connection.settimeout(0)
    with contextlib.suppress(BlockingIOError):
        while connection.send(request * 500):
            pass
    return connection


def test_clients_that_never_read():
    """They are disconnected after a timeout; until then each holds no more memory than allowed."""
    each, count = 1 << 20, 40
    flags = ["--bounds-connection-bytes", str(each) + "B", "--bounds-request-bytes", "256KiB",
             "--deadlines-write", "2s"]
    for request in LONG.values():
        with Server(REFUSING, flags) as server, Neighbours(server):
            forget_peak(server)
            before = memory(server, "VmRSS")
            with contextlib.ExitStack() as stack:
                for _ in range(count):
                    stack.enter_context(flood_unread(server, request))
                until(lambda server=server: connections(server) == Neighbours.count,
                      "they are let go")
            more = memory(server, "VmHWM") - before
            # This covers both directions and buffers that grow.
            assert more < 3 * each * count, f"{request}: {more} bytes more"


def test_a_slow_reader_gets_all():
    """Reads a little whenever another client has been answered, and keeps sending requests."""
    asked = 5000
    flags = ["--bounds-connection-bytes", "64KiB", "--bounds-request-bytes", "16KiB"]
    with Server(REFUSING, flags) as server, Neighbours(server), server.connect() as slow:
        expect(ask(server.address, "/auth/api/x")[0], 200, "the one unit that there is")
        last = REFUSED.replace(b"\r\n\r\n", b"\r\nConnection: close\r\n\r\n")
        sender = threading.Thread(target=slow.sendall, args=(REFUSED * (asked - 1) + last,))
        sender.start()
        said = b""
        while part := slow.recv(16 << 10):
            said += part
            expect(ask(server.address, "/auth/neighbours/x")[0], 200)
        sender.join()
        expect(said.count(b"HTTP/1.1 429 Too Many Requests\r\n"), asked)


class Restarted(Server):
    """A server whose listening socket stays open when it ends, as that of a systemd unit does.

    No connection is refused then: clients wait in the backlog for the next server.
    """

    def __init__(self, rules, flags):
        self.listening = socket.create_server(("127.0.0.1", 0), backlog=1000)
        fd = self.listening.fileno()
        super().__init__(rules, flags, pass_fds=(fd,), under=(
            "bash", "-c", f'exec 3<&{fd}; LISTEN_PID=$$ LISTEN_FDS=1 exec "$@"', "bash"))

    def __exit__(self, *rest):
        try:
            super().__exit__(*rest)
        finally:
            self.listening.close()


class RespClient:
    """Sends requests in a loop, and repeats those that a closed connection did not answer.

    RESP has no message for a server that shuts down, so clients of Redis do the same. A server that
    closes has answered all commands that it has taken.
    """

    AHEAD = 5
    COMMAND = command(b"SLUICE.CHECK", b"counted", b"user", b"resp")

    def __init__(self, address):
        host, port = address.rsplit(":", 1)
        self.place = (host, int(port))
        self.answered = self.reconnects = 0
        self.over = threading.Event()
        self.failure = None
        self.thread = threading.Thread(target=self.run)
        self.thread.start()

    def run(self):
        try:
            while not self.over.is_set():
                self.serve_one_connection()
        except Exception as failure:  # reported by end()
            self.failure = failure

    def serve_one_connection(self):
        with socket.create_connection(self.place, DEADLINE_SECONDS) as connection, \
                connection.makefile("rb") as file:
            connection.sendall(self.COMMAND * self.AHEAD)
            under_way = self.AHEAD
            while under_way > 0:
                line = file.readline()
                if not line:
                    self.reconnects += 1
                    return
                expect((line, file.readline()), (b"*7\r\n", b":1\r\n"), "it is allowed")
                for _ in range(7):  # the numbers, and the rule on two lines
                    assert file.readline(), "a reply was cut off"
                self.answered += 1
                under_way -= 1
                if not self.over.is_set():
                    # A write after the other side has closed is lost, which is no error.
                    with contextlib.suppress(BrokenPipeError):
                        connection.sendall(self.COMMAND)
                    under_way += 1

    def end(self):
        self.over.set()
        self.thread.join()
        assert self.failure is None, self.failure


def test_drains_under_full_load():
    """Restarts three times: no client sees an error, and each answer was charged once."""
    ahead = {"http": ("--pipeline", 4), "rls": ("--streams", 50)}
    with contextlib.ExitStack() as stack:
        states = os.path.join(stack.enter_context(Server(RULES)).folder.name, "states")
        server = stack.enter_context(Restarted(RULES + COUNTED, ["--store-snapshot", states]))
        loads = {protocol: bench(server.address, protocol, flag, str(count), "--domain", "counted",
                                 "--attribute", f"user={protocol}", "--duration", "1h")
                 for protocol, (flag, count) in ahead.items()}
        redis = [RespClient(server.address) for _ in range(CONNECTIONS)]
        for _ in range(3):
            for load in loads.values():
                load.stderr.readline()  # a second of load has passed
            expect(server.stop(), 0, "the exit code of a drain")
            server.process.stderr.close()
            server.start(["--store-snapshot", states])
        for load in loads.values():
            load.stderr.readline()
        for client in redis:
            client.end()
        for protocol, load in loads.items():
            load.send_signal(signal.SIGINT)
            said, error = load.communicate(timeout=DEADLINE_SECONDS)
            expect(load.returncode, 0, f"{protocol}: {said}{error}")
            report = json.loads(said)
            expect((report["errors"], report["refused"]), (0, 0), f"{protocol}: {said}")
            # Requests in flight at the end may have been charged, too.
            uncounted = charged(server, protocol) - report["allowed"]
            assert 0 <= uncounted <= CONNECTIONS * ahead[protocol][1], (protocol, uncounted, said)
        expect(charged(server, "resp"), sum(client.answered for client in redis))
        assert sum(client.reconnects for client in redis) >= 3 * CONNECTIONS


def charged(server, user):
    decision, = peek(server.address, "counted", {"user": user})
    return UNITS - decision["remaining"]


run_tests(globals())
