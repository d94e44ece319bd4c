"""Floods of HTTP/2 frames, and of long replies that are not read.

Memory stays flat, the offending connection gets an error, and other clients are not affected.
"""

import contextlib
import socket
import struct
import threading

from scene import Server
from scene.neighbours import RULES, Neighbours, connections
from server import DEADLINE_SECONDS, ask, expect, forget_peak, memory, run_tests, until

# The maximum growth of a server's memory during a flood. A few bytes per frame that are kept would
# exceed it.
BYTES_MOST = 8 << 20

FRAMES = 200_000
ATTACKERS = 4

DATA, HEADERS, PRIORITY, RESET, SETTINGS, PING, GOAWAY, WINDOW_UPDATE, CONTINUATION = (
    0, 1, 2, 3, 4, 6, 7, 8, 9)
END_STREAM, END_HEADERS = 1, 4
FLOW_CONTROL_ERROR, CANCEL, ENHANCE_YOUR_CALM = 3, 8, 11

PREFACE = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"


def frame(kind, flags=0, stream=0, payload=b""):
    return struct.pack(">IBI", len(payload) << 8 | kind, flags, stream) + payload


def literal(name, value):
    """Encodes a field with a new name that the server adds to its dynamic table."""
    return b"\x40" + bytes([len(name)]) + name + b"\x7f" + bytes([len(value) - 127]) + value


# POST http://h/v1/check
HEAD = b"\x83\x86\x41\x01h\x04\x09/v1/check"


class Attacker:
    """One connection whose client reads either everything or nothing while it sends."""

    def __init__(self, server, reads=True):
        self.connection = server.connect()
        self.reads = reads
        self.said = bytearray()
        if reads:
            self.reader = threading.Thread(target=self.read)
            self.reader.start()
        self.send(PREFACE + frame(SETTINGS))

    def read(self):
        with contextlib.suppress(OSError):
            while part := self.connection.recv(1 << 16):
                # The output may be endless; only its end is needed to see the result.
                self.said = (self.said + part)[-(1 << 20):]

    def send(self, frames):
        """Returns False if the server takes no more."""
        try:
            self.connection.sendall(frames)
            return True
        except (BrokenPipeError, ConnectionResetError):
            return False

    def end(self):
        """Returns the error with which the server ended the connection; None if there is none."""
        with contextlib.suppress(OSError):
            self.connection.shutdown(socket.SHUT_WR)
        if self.reads:
            self.reader.join()
        else:
            self.read()
        self.connection.close()
        # The buffer may begin within a frame, but the size of the last frame is known.
        tail = bytes(self.said[-17:])
        is_goodbye = tail[:9] == frame(GOAWAY, payload=b"8 bytes.")[:9]
        return int.from_bytes(tail[13:], "big") if is_goodbye else None


def flood(make, count, reads=True):
    """Sends the frames that `make` returns for each number, on as many connections as needed.

    Returns the errors with which connections were ended, and how many connections there were.
    """
    with Server(RULES) as server, Neighbours(server):
        pieces = [b"".join(map(make, range(begin, min(begin + 500, count))))
                  for begin in range(0, count, 500)]
        errors, used = [], []

        def attack():
            at = 0
            while at < len(pieces):
                attacker = Attacker(server, reads)
                used.append(attacker)
                # Stream numbers restart with each connection.
                for piece in pieces[:len(pieces) - at]:
                    at += 1
                    if not attacker.send(piece):
                        break
                errors.append(attacker.end())

        def all_attack():
            threads = [threading.Thread(target=attack) for _ in range(ATTACKERS)]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()

        all_attack()  # memory that a server allocates once and keeps does not count as growth
        until(lambda: connections(server) == Neighbours.count, "attackers have left")
        before = memory(server, "VmRSS")
        forget_peak(server)
        errors.clear()
        used.clear()
        all_attack()
        more = memory(server, "VmHWM") - before
        assert more < BYTES_MOST, f"{more} bytes more"
        until(lambda: connections(server) == Neighbours.count, "attackers have left")
        return set(errors), len(used)


def odd(number):
    return 2 * number + 1


def test_rapid_resets():
    def make(number):
        stream = odd(number)
        return (frame(HEADERS, END_HEADERS, stream, HEAD) +
                frame(RESET, 0, stream, CANCEL.to_bytes(4, "big")))
    errors, _ = flood(make, 50_000)
    expect(errors - {None}, {ENHANCE_YOUR_CALM})


def test_continuations():
    first = frame(HEADERS, 0, 1, HEAD)
    errors, _ = flood(lambda n: first if n == 0 else frame(CONTINUATION, 0, 1, b""), FRAMES)
    expect(errors - {None}, {ENHANCE_YOUR_CALM})


def test_full_continuations():
    field = literal(b"x", b"v" * 200) * 70
    first = frame(HEADERS, 0, 1, HEAD)
    errors, _ = flood(lambda n: first if n == 0 else frame(CONTINUATION, 0, 1, field), 5_000)
    expect(errors - {None}, {ENHANCE_YOUR_CALM})


def test_pings_and_settings_with_replies_read():
    """Too many at once are an error, whether or not the replies are read."""
    for one in (frame(PING, payload=b"8 bytes."), frame(SETTINGS),
                frame(SETTINGS, payload=struct.pack(">HI", 4, 1 << 20))):
        errors, _ = flood(lambda _, one=one: one, FRAMES)
        expect(errors - {None}, {ENHANCE_YOUR_CALM})


def test_pings_and_settings_with_replies_unread():
    for one in (frame(PING, payload=b"8 bytes."), frame(SETTINGS)):
        errors, _ = flood(lambda _, one=one: one, FRAMES, reads=False)
        expect(errors - {None}, {ENHANCE_YOUR_CALM})


def test_empty_frames():
    """On a stream that does not end, and of unknown kinds."""
    first = frame(HEADERS, END_HEADERS, 1, HEAD)
    for one in (frame(DATA, 0, 1), frame(PRIORITY, 0, 3, b"\0\0\0\1\0"), frame(99, 0, 1),
                frame(DATA, 8, 1, b"\xff" + b"\0" * 255)):
        errors, _ = flood(lambda n, one=one: first if n == 0 else one, FRAMES)
        expect(errors - {None}, {ENHANCE_YOUR_CALM})


def test_window_updates():
    errors, _ = flood(lambda _: frame(WINDOW_UPDATE, payload=b"\0\0\0\1"), FRAMES)
    expect(errors - {None}, {ENHANCE_YOUR_CALM})
    errors, _ = flood(lambda _: frame(WINDOW_UPDATE, payload=b"\x3f\xff\xff\xff"), FRAMES)
    expect(errors - {None}, {FLOW_CONTROL_ERROR})


def test_header_compression_bombs():
    """One byte per field of 200 bytes: a head of 14 KB with 2.8 MB of fields."""
    def make(number):
        fields = (literal(b"x", b"v" * 200) if number == 0 else b"") + b"\xbe" * 14_000
        return frame(HEADERS, END_HEADERS | END_STREAM, odd(number), HEAD + fields)
    expect(flood(make, 1000), ({None}, ATTACKERS))


def test_streams_that_never_end():
    """Streams beyond the limit are refused, and those that are open are abandoned."""
    errors, _ = flood(lambda n: frame(HEADERS, END_HEADERS, odd(n), HEAD), 20_000)
    expect(errors - {None}, {ENHANCE_YOUR_CALM})


def test_requests_without_a_window_for_replies():
    """The client grants no window for replies and never stops sending requests."""
    body = b'{"domain":"neighbours","attributes":{}}'
    no_window = frame(SETTINGS, payload=struct.pack(">HI", 4, 0))

    def make(number):
        stream = odd(number)
        head = HEAD + b"\x0f\x10\x10application/json"
        return ((no_window if number == 0 else b"") + frame(HEADERS, END_HEADERS, stream, head) +
                frame(DATA, END_STREAM, stream, body))
    errors, _ = flood(make, 20_000)
    expect(errors - {None}, {ENHANCE_YOUR_CALM})


# The bound on the memory of all connections, and what the server may need besides: its own buffers,
# those of the allocator, and 16 KiB that each connection may always keep.
BOUND, BESIDE = 4 << 20, 16 << 20


def test_pooled_streams_release_memory():
    """Connections have used many large streams and hold one open; they once held 48 MB."""
    count, streams = 40, 100
    fields = HEAD + b"\x0f\x10\x10application/json" + (b"\x00\x01x\x7f\xb9\x16" + b"v" * 3000)
    body = b'{"domain":"neighbours","attributes":{}}' + b" " * 3000

    def requests(first):
        numbers = [first + 2 * i for i in range(streams - 1)]
        return (b"".join(frame(HEADERS, END_HEADERS, n, fields) for n in numbers) +
                b"".join(frame(DATA, END_STREAM, n, body) for n in numbers))

    with Server(RULES, ["--bounds-bytes", "4MiB", "--deadlines-body", "1h"]) as server, \
            Neighbours(server):
        forget_peak(server)
        before = memory(server, "VmRSS")
        attackers = [Attacker(server) for _ in range(count)]
        for attacker in attackers:
            attacker.send(frame(WINDOW_UPDATE, payload=b"\x01\0\0\0") +
                          frame(HEADERS, END_HEADERS, 1, HEAD))
        # One connection after another, because partial requests would exceed the memory of all of
        # them together. If others hold all of it, a connection may be closed all the same.
        for attacker in attackers:
            attacker.send(requests(3))
            until(lambda a=attacker: a.said.count(b"allowed") >= streams - 1 or
                  not a.reader.is_alive(), "all are answered, or the connection is closed")
        more = memory(server, "VmHWM") - before
        for attacker in attackers:
            expect(attacker.end(), None, "the error that a connection ended with")
        assert more < BOUND + BESIDE, f"{more} bytes more"


# The number of connections that send as many requests as they can at once and read nothing. All of
# their replies were once in memory at the same time: 1.5 GB.
GREEDY = 400
# The replies of one connection per worker exist before they are counted, allocators hold up to
# twice the memory in use, and sanitizers more.
GREEDY_BYTES_MOST = 48 << 20


def greedy_flood(sent, greeting_bytes):
    """Each connection sends this and waits until it gets a reply or is closed."""
    with Server(RULES, ["--bounds-bytes", "4MiB"]) as server, contextlib.ExitStack() as stack:
        attackers = []
        for _ in range(GREEDY):
            attacker = stack.enter_context(socket.socket())
            attacker.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
            attacker.settimeout(DEADLINE_SECONDS)
            attacker.connect(("127.0.0.1", server.port))
            attackers.append(attacker)
        until(lambda: connections(server) == GREEDY, "all are connected")
        before = memory(server, "VmRSS")
        forget_peak(server)
        for attacker in attackers:
            attacker.setblocking(False)
            with contextlib.suppress(OSError):
                attacker.send(sent)
            attacker.settimeout(DEADLINE_SECONDS)
        closed = 0
        for attacker in attackers:
            heard = 0
            with contextlib.suppress(ConnectionResetError):
                while heard <= greeting_bytes and (part := attacker.recv(1024)):
                    heard += len(part)
            closed += heard <= greeting_bytes
        more = memory(server, "VmHWM") - before
        assert more < GREEDY_BYTES_MOST, f"{more} bytes more"
        assert connections(server) < GREEDY or closed, "none had to be closed: too small a flood"
        status, _, _ = ask(server.address, "/v1/check", {"domain": "neighbours", "attributes": {}})
        expect(status, 200, "the status of a request meanwhile")
        for attacker in attackers:
            attacker.close()
        until(lambda: connections(server) == 0, "attackers have left")


def test_unread_long_replies():
    greedy_flood(b"GET /openapi.yaml HTTP/1.1\r\nHost: e\r\n\r\n" * 220, 0)


def test_long_replies_without_a_window():
    """Streams of reflection have replies that are far longer than the requests."""
    path = b"/grpc.reflection.v1.ServerReflection/ServerReflectionInfo"
    fields = [(b":method", b"POST"), (b":scheme", b"http"), (b":path", path),
              (b":authority", b"e"), (b"content-type", b"application/grpc"), (b"te", b"trailers")]
    head = b"".join(b"\0" + bytes([len(n)]) + n + bytes([len(v)]) + v for n, v in fields)
    symbol = b"envoy.service.ratelimit.v3.RateLimitService"
    message = bytes([0x22, len(symbol)]) + symbol
    messages = (b"\0" + struct.pack(">I", len(message)) + message) * 20
    no_window = frame(SETTINGS, payload=struct.pack(">HI", 4, 0))
    sent = PREFACE + no_window + b"".join(
        frame(HEADERS, END_HEADERS, odd(n), head) + frame(DATA, 0, odd(n), messages)
        for n in range(100))
    # The server sends its settings, a window update and the acknowledgement of our settings.
    greedy_flood(sent, 9 + 2 * 6 + 9 + 4 + 9)


run_tests(globals())
