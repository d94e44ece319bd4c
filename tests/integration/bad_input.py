"""Invalid input over every protocol: each must get the right error and affect no other client.

The decoders have tables of their own in tests/unit. Here a whole server gets the input, with other
clients that must not be affected. If the build looks for leaks, the server must end without one.
"""

import contextlib
import json
import re
import socket
import struct

from scene import Server
from scene.neighbours import RULES, Neighbours, connections
from server import expect, run_tests, until

# Incomplete requests time out soon.
FLAGS = ["--deadlines-header", "2s", "--deadlines-body", "2s"]
GOOD = b'{"domain":"neighbours","attributes":{"user":"1"}}'


@contextlib.contextmanager
def scene(*flags):
    """Runs a server whose other clients must be served well and on which no connection stays."""
    with Server(RULES, [*FLAGS, *flags]) as server, Neighbours(server):
        yield server
        until(lambda: connections(server) == Neighbours.count, "no connection is left")


def talk(server, *parts, ends=True):
    """Returns all bytes that are replied to these bytes, up to the end of the connection."""
    said = b""
    with server.connect() as connection:
        # A refused client's connection may be closed while it sends.
        with contextlib.suppress(BrokenPipeError, ConnectionResetError):
            for part in parts:
                connection.sendall(part)
            if ends:
                connection.shutdown(socket.SHUT_WR)
        with contextlib.suppress(ConnectionResetError):
            while part := connection.recv(1 << 16):
                said += part
    return said


def check(answer, cases):
    """Compares the answers to all cases with the expected ones, and reports all that differ."""
    found = {name: answer(*given) for name, (*given, _) in cases.items()}
    wrong = {name: (found[name], wanted) for name, (*_, wanted) in cases.items()
             if found[name] != wanted}
    expect(wrong, {}, "found and expected")


def head(*lines, first=b"POST /v1/check HTTP/1.1"):
    return b"\r\n".join([first, b"Host: h", b"Content-Type: application/json", *lines, b"", b""])


SIZED = b"Content-Length: %d" % len(GOOD)
CHUNKED = b"Transfer-Encoding: chunked"
GET = b"GET /auth/neighbours/x HTTP/1.1\r\nHost: h\r\n\r\n"


def test_http1():
    cases = {
        "as it should be": (head(SIZED) + GOOD, [200]),
        "a line of 64 KB": (b"GET /" + b"x" * 65536 + b" HTTP/1.1\r\nHost: h\r\n\r\n", [414]),
        "a field of 64 KB": (head(b"X: " + b"x" * 65536), [431]),
        "10,000 fields": (head(*[b"X: y"] * 10_000), [431]),
        "length and encoding": (head(SIZED, CHUNKED) + GOOD, [400]),
        "two lengths": (head(SIZED, SIZED) + GOOD, [400]),
        "a length below zero": (head(b"Content-Length: -1"), [400]),
        "a length with a sign": (head(b"Content-Length: +1") + b"x", [400]),
        "a length beyond numbers": (head(b"Content-Length: 99999999999999999999"), [413]),
        "a chunk beyond numbers": (head(CHUNKED) + b"FFFFFFFFFFFFFFFFF\r\n", [413]),
        "a chunk that is too large": (head(CHUNKED) + b"FFFFFFF\r\n", [413]),
        "lines without CR": (b"GET / HTTP/1.1\nHost: h\n\n", [400]),
        "a zero byte": (head(b"X: a\0b"), [400]),
        "a line that goes on": (head(b"X: a\r\n b"), [400]),
        "a whole address": (GET.replace(b"/auth", b"http://h/auth"), [200]),
        "a tunnel": (b"CONNECT h:80 HTTP/1.1\r\nHost: h:80\r\n\r\n", [400]),
        "HTTP/0.9": (b"GET /\r\n\r\n", [400]),
        "a thousand at once": (GET * 1000, [200] * 1000),
        "an upgrade": (GET[:-2] + b"Connection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\n"
                       b"HTTP2-Settings: AAMAAABkAAQCAAAAAAIAAAAA\r\n\r\n", [200]),
        "a body that waits": (head(SIZED, b"Expect: 100-continue") + GOOD, [200]),
        "another expectation": (head(SIZED, b"Expect: tea") + GOOD, [200]),
        "garbage behind": (GET + b"\x16\x03\x01\0\r\n\r\n", [200, 400]),
        "half a head": (b"GET / HTTP/1.1\r\nHo", []),
        "half a body": (head(SIZED) + GOOD[:9], []),
    }
    with scene() as server:
        def statuses(given):
            return [int(n) for n in re.findall(rb"HTTP/1\.1 (\d{3}) ", talk(server, given))]
        check(statuses, cases)
        byte_by_byte = [bytes([byte]) for byte in head(SIZED, b"Connection: close") + GOOD]
        assert talk(server, *byte_by_byte, ends=False).startswith(b"HTTP/1.1 200 ")
        expect(talk(server, head(SIZED) + GOOD[:9], ends=False), b"", "half a body, and silence")


(DATA, HEADERS, PRIORITY, RESET, SETTINGS, PUSH, PING, GOAWAY, WINDOW_UPDATE,
 CONTINUATION) = range(10)
END_STREAM, END_HEADERS, PADDED = 1, 4, 8
PROTOCOL, FLOW_CONTROL, STREAM_CLOSED, FRAME_SIZE, COMPRESSION, CALM = 1, 3, 5, 6, 9, 11
PREFACE = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"


def frame(kind, flags=0, stream=0, payload=b""):
    return struct.pack(">IBI", len(payload) << 8 | kind, flags, stream) + payload


def fields(*pairs):
    """Encodes an HPACK block that adds nothing to the dynamic table. Texts may have up to 16 KB."""
    def text(value):
        if len(value) < 127:
            return bytes([len(value)]) + value
        more = len(value) - 127
        return bytes([127, more & 127 | 128, more >> 7]) + value
    return b"".join(b"\0" + text(name) + text(value) for name, value in pairs)


def request(stream, *more, flags=END_STREAM | END_HEADERS, begin=None):
    usual = [(b":method", b"GET"), (b":scheme", b"http"), (b":path", b"/auth/neighbours/x"),
             (b":authority", b"h")]
    return frame(HEADERS, flags, stream, fields(*(begin or usual), *more))


def hear_frames(said):
    while len(said) >= 9:
        size, kind = int.from_bytes(said[:3], "big"), said[3]
        yield kind, int.from_bytes(said[5:9], "big"), said[9:9 + size]
        said = said[9 + size:]


def outcome(server, frames):
    """Returns the error of the connection, and that of stream 1 or "answered"."""
    connection = stream = None
    for kind, number, payload in hear_frames(talk(server, PREFACE + frame(SETTINGS) + frames)):
        if kind == GOAWAY:
            connection = int.from_bytes(payload[4:8], "big")
        elif kind == RESET and number == 1:
            stream = int.from_bytes(payload, "big")
        elif kind == HEADERS and number == 1 and stream is None:
            stream = "answered"
    return connection, stream


def test_http2():
    whole, half = request(1), request(1, flags=END_HEADERS)
    usual = [(b":method", b"GET"), (b":scheme", b"http"), (b":path", b"/"), (b":authority", b"h")]
    cases = {
        "as it should be": (whole, (None, "answered")),
        "a frame that is too long": (half + frame(DATA, 0, 1, b"x" * 16385), (FRAME_SIZE, None)),
        "fields without an end": (request(1, flags=END_STREAM) + frame(PING, payload=b"8 bytes."),
                                  (PROTOCOL, None)),
        "fields of two streams": (request(1, flags=0) + frame(CONTINUATION, 4, 3),
                                  (PROTOCOL, None)),
        "fields that go on after their end": (half + frame(CONTINUATION, 4, 1), (PROTOCOL, None)),
        "an even stream": (request(2), (PROTOCOL, None)),
        "a stream below others": (request(5) + request(3), (PROTOCOL, None)),
        "a stream of nobody": (request(0), (PROTOCOL, None)),
        "too large a window": (frame(WINDOW_UPDATE, payload=b"\x7f\xff\xff\xff"),
                               (FLOW_CONTROL, None)),
        "too large a window of a stream": (half + frame(WINDOW_UPDATE, 0, 1, b"\x7f\xff\xff\xff"),
                                           (None, FLOW_CONTROL)),
        "too large a first window": (frame(SETTINGS, payload=b"\0\4\x80\0\0\0"),
                                     (FLOW_CONTROL, None)),
        "a window by nothing": (frame(WINDOW_UPDATE, payload=bytes(4)), (PROTOCOL, None)),
        "a window of a stream by nothing": (half + frame(WINDOW_UPDATE, 0, 1, bytes(4)),
                                            (None, PROTOCOL)),
        "a reset of nothing": (frame(RESET, 0, 1, bytes(4)), (PROTOCOL, None)),
        "a field before its time": (request(1, begin=[(b"a", b"b"), *usual]), (None, PROTOCOL)),
        "two paths": (request(1, begin=[*usual, (b":path", b"/")]), (None, PROTOCOL)),
        "no path": (request(1, begin=[usual[0], usual[1]]), (None, PROTOCOL)),
        "a field of replies": (request(1, begin=[*usual, (b":status", b"200")]), (None, PROTOCOL)),
        "capital letters": (request(1, (b"X-User", b"1")), (None, PROTOCOL)),
        "a zero byte": (request(1, (b"x-user", b"a\0b")), (None, PROTOCOL)),
        "another te": (request(1, (b"te", b"gzip")), (None, PROTOCOL)),
        "a field of connections": (request(1, (b"connection", b"close")), (None, PROTOCOL)),
        "an odd scheme": (request(1, begin=[usual[0], (b":scheme", b"gopher"), *usual[2:]]),
                          (None, "answered")),
        "two lengths": (request(1, (b"content-length", b"1"), (b"content-length", b"2")),
                        (None, PROTOCOL)),
        "a body beside its length": (request(1, (b"content-length", b"1"), flags=END_HEADERS) +
                                     frame(DATA, END_STREAM, 1, b"xyz"), (None, PROTOCOL)),
        "a table that is too large": (frame(HEADERS, 5, 1, b"\x3f\xe2\x1f"), (COMPRESSION, None)),
        "a table that changes late": (frame(HEADERS, 5, 1, b"\x82\x20"), (COMPRESSION, None)),
        "a number of nothing": (frame(HEADERS, 5, 1, b"\xff\xff\xff\xff\xff\xff"),
                                (COMPRESSION, None)),
        "10,000 settings": (frame(SETTINGS) * 10_000, (CALM, None)),
        "settings of a stream": (frame(SETTINGS, 0, 1), (PROTOCOL, None)),
        "10,000 pings": (frame(PING, payload=b"8 bytes.") * 10_000, (CALM, None)),
        "a ping of 7 bytes": (frame(PING, payload=b"7 bytes"), (FRAME_SIZE, None)),
        "a stream before itself": (half + frame(PRIORITY, 0, 1, b"\0\0\0\1\0"), (None, PROTOCOL)),
        "streams before one another": (b"".join(
            frame(PRIORITY, 0, a, b"\0\0\0%c\0" % b) for a, b in ((3, 5), (5, 7), (7, 3))) + whole,
                                       (None, "answered")),
        "more padding than frame": (half + frame(DATA, PADDED, 1, b"\xffabc"), (PROTOCOL, None)),
        "a body after the end": (whole + frame(DATA, 0, 1, b"x"), (STREAM_CLOSED, "answered")),
        "a head after the end": (whole + whole, (STREAM_CLOSED, "answered")),
        "a push": (frame(PUSH, 4, 1, b"\0\0\0\2" + fields(*usual)), (PROTOCOL, None)),
        "a body without a head": (frame(DATA, 0, 1, b"x"), (PROTOCOL, None)),
        "3,000 fields": (request(1, *[(b"x", b"y")] * 3000), (None, "answered")),
    }
    with scene() as server:
        check(lambda frames: outcome(server, frames), cases)
        # Only the whole preface begins HTTP/2; anything else is a bad request of HTTP/1.
        for bad_preface in (PREFACE.replace(b"SM", b"XX"), PREFACE[1:]):
            assert talk(server, bad_preface + frame(SETTINGS) * 9).startswith(b"HTTP/1.1 400 ")


def number(value):
    """Encodes a varint."""
    said = bytearray()
    while value > 127:
        said.append(value & 127 | 128)
        value >>= 7
    return bytes(said) + bytes([value])


def field(key, value):
    return number(key << 3 | 2) + number(len(value)) + value


def entry(key, value=b"1"):
    return field(1, field(1, key) + field(2, value))


def rls(*descriptors, more=b""):
    """Encodes a framed request to Envoy's service."""
    message = field(1, b"neighbours") + b"".join(field(2, d) for d in descriptors) + more
    return b"\0" + len(message).to_bytes(4, "big") + message


OK, INVALID_ARGUMENT, DEADLINE_EXCEEDED, UNIMPLEMENTED, INTERNAL = 0, 3, 4, 12, 13


def is_answered(said):
    return any(kind == HEADERS for kind, *_ in hear_frames(said))


def window_of(said):
    """Returns the total window of stream 1 in bytes. The window of the connection is larger."""
    return 65535 + sum(int.from_bytes(payload, "big") for kind, stream, payload in hear_frames(said)
                       if (kind, stream) == (WINDOW_UPDATE, 1))


def call(server, body, *more, kind=b"application/grpc"):
    """Returns the status of a call, or the HTTP status if that is not 200."""
    begin = [(b":method", b"POST"), (b":scheme", b"http"), (b":authority", b"h"), (
        b":path", b"/envoy.service.ratelimit.v3.RateLimitService/ShouldRateLimit"),
             (b"content-type", kind), (b"te", b"trailers")]
    said, sent = b"", 0
    with server.connect() as connection:
        connection.sendall(PREFACE + frame(SETTINGS) +
                           request(1, *more, begin=begin, flags=END_HEADERS))
        while sent <= len(body) and not is_answered(said):
            piece = body[sent:sent + 16384]
            if sent + len(piece) > window_of(said):
                said += connection.recv(1 << 16)
                continue
            sent += 16384
            connection.sendall(frame(DATA, END_STREAM if sent > len(body) else 0, 1, piece))
        connection.shutdown(socket.SHUT_WR)
        while part := connection.recv(1 << 16):
            said += part
    replied = b"".join(p for k, s, p in hear_frames(said) if k == HEADERS and s == 1)
    status = re.search(rb"grpc-status[\1\2](\d+)", replied)
    if status:
        return int(status.group(1))
    return int(re.search(rb"\x08\x03(\d{3})", replied).group(1))


def test_grpc():
    good = rls(entry(b"user"))
    cases = {
        "as it should be": (good, OK),
        "nothing": (b"", INTERNAL),
        "half a prefix": (good[:3], INTERNAL),
        "a message that is cut off": (good[:-1], INTERNAL),
        "bytes behind": (good + b"x", INTERNAL),
        "two messages": (good * 2, INTERNAL),
        "compressed": (b"\1" + good[1:], UNIMPLEMENTED),
        "an unknown flag": (b"\2" + good[1:], INTERNAL),
        # Refused with OVER_LIMIT, because Envoy takes an error for "pass".
        "4 GB": (b"\0\xff\xff\xff\xff" + good[5:], OK),
        "no protobuf": (b"\0\0\0\0\3\xff\xff\xff", INVALID_ARGUMENT),
        "a value that is no text": (rls(entry(b"user", b"\xff\xfe")), OK),
        "a key that is no text": (rls(entry(b"\xff\xfe")), INVALID_ARGUMENT),
        "a key that is empty": (rls(entry(b"")), INVALID_ARGUMENT),
        "a descriptor that is empty": (rls(b""), OK),
        "no descriptor": (rls(), INVALID_ARGUMENT),
        "entries twice": (rls(entry(b"user") * 2), OK),
        "unknown fields": (rls(entry(b"user"), more=field(99, b"x") + b"\xa8\6\1"), OK),
        "groups": (rls(entry(b"user"), more=b"\xa3\6\xa4\6"), INVALID_ARGUMENT),
        "10,000 descriptors": (rls(*[entry(b"user")] * 10_000), INVALID_ARGUMENT),
        "a value of 900 KB": (rls(entry(b"user", b"v" * 900_000)), OK),
        "a value of 2 MB": (rls(entry(b"user", b"v" * 2_000_000)), OK),
        "hits of 2^32": (rls(entry(b"user"), more=b"\x18" + number(1 << 32)), INVALID_ARGUMENT),
        "hits of 2^64 - 1": (rls(entry(b"user") + field(3, b"\x08" + number((1 << 64) - 1))), OK),
        "below zero by nothing": (rls(entry(b"user") + field(3, b"") + b"\x20\1"), OK),
        "an unknown unit": (rls(entry(b"user") + field(2, b"\x08\1\x10\x63")), INVALID_ARGUMENT),
        "a limit of nothing": (rls(entry(b"user") + field(2, b"\x08\0\x10\1")), OK),
    }
    good_but = {
        "an unknown encoding that is not used": ([(b"grpc-encoding", b"snappy")], OK),
        "a timeout of nothing": ([(b"grpc-timeout", b"0n")], DEADLINE_EXCEEDED),
        "a timeout of years": ([(b"grpc-timeout", b"99999999H")], OK),
        "a timeout that is none": ([(b"grpc-timeout", b"soon")], INTERNAL),
        "bytes that are no base64": ([(b"trace-bin", b"!!!!")], OK),
    }
    with scene() as server:
        check(lambda body: call(server, body), cases)
        check(lambda more: call(server, good, *more), good_but)
        expect(call(server, good, kind=b"text/plain"), 415)


def test_json():
    def body(attributes=b'{"user":"1"}', more=b""):
        return b'{"domain":"neighbours","attributes":' + attributes + more + b"}"

    cases = {
        "as it should be": (body(), 200),
        "nothing": (b"", 400),
        "deep": (b"[" * 500_000, 400),
        "deep where it is not looked at": (body(more=b',"x":' + b"[" * 100_000), 400),
        "a key twice": (body(b'{"user":"1","user":"2"}'), 400),
        "a big number": (body(more=b',"cost":99999999999999999999'), 400),
        "an exponent": (body(more=b',"cost":1e400'), 400),
        "NaN": (body(more=b',"cost":NaN'), 400),
        "a cost below zero": (body(more=b',"cost":-1'), 400),
        "half a pair": (body(b'{"user":"\\ud800"}'), 400),
        "no UTF-8": (body(b'{"user":"\xff"}'), 400),
        "a byte order mark": (b"\xef\xbb\xbf" + body(), 400),
        "a comma too many": (body(b'{"user":"1",}'), 400),
        "another type": (body(b"[1]"), 400),
        "a number for a text": (body().replace(b'"neighbours"', b"7"), 400),
        "an unknown field": (body(more=b',"costs":1'), 400),
        "behind its end": (body() + b"x", 400),
        "cut off": (body()[:-3], 400),
        "a zero byte": (body(b'{"us\0er":"1"}'), 400),
    }

    def envoys(name, value):
        return json.dumps({"domain": "neighbours", "descriptors": [
            {"entries": [{"key": "user", "value": "1"}]}], name: value}).encode()

    with scene() as server:
        def status(given, path=b"/v1/check"):
            first = b"POST " + path + b" HTTP/1.1"
            length = b"Content-Length: %d" % len(given)
            said = talk(server, head(length, first=first) + given)
            return int(re.match(rb"HTTP/1\.1 (\d{3}) ", said).group(1))
        check(status, cases)
        # These follow the JSON mapping of protobuf.
        names = ("hitsAddend", "hits_addend", "hits")
        expect([status(envoys(name, 1), b"/json") for name in names], [200, 200, 400])


def command(*words):
    return b"*%d\r\n" % len(words) + b"".join(b"$%d\r\n%s\r\n" % (len(w), w) for w in words)


PING_COMMAND, PONG = command(b"PING"), b"+PONG\r\n"


def test_resp():
    refused = b"-ERR Protocol error"
    # A valid command comes first. Each case has the expected beginning of the remaining reply.
    cases = {
        "a list below zero": (b"*-2\r\n", refused),
        "a list of 2^31": (b"*2147483648\r\n", refused),
        "a text below zero": (b"*1\r\n$-5\r\n", refused),
        "a text of 2^63": (b"*1\r\n$9223372036854775808\r\n", refused),
        "a text beyond its bound": (b"*1\r\n$2000000\r\n", refused),
        "a text without its end": (b"*1\r\n$4\r\nPINGxx", refused),
        "lists in lists": (b"*1\r\n" * 10_000, refused),
        "a line of 1 MB": (b"x" * 1_100_000, refused),
        "a map unasked": (b"%1\r\n$1\r\na\r\n$1\r\nb\r\n", refused),
        "a set in a command": (b"*1\r\n~1\r\n$1\r\na\r\n", refused),
        "HELLO 4": (command(b"HELLO", b"4"), b"-NOPROTO "),
        "HTTP": (b"GET / HTTP/1.1\r\nHost: h\r\n\r\n", b"-"),
        "an unknown command": (command(b"FLUSHALL"), b"-ERR unknown command"),
        "CR LF in a key": (command(b"CL.THROTTLE", b"a\r\nb", b"15", b"30", b"60"),
                           b"*5\r\n:0\r\n"),
        "half a command": (b"*2\r\n$4\r\nEC", b""),
    }
    with scene("--callers-token", "x" * 16) as server:
        def rest(given):
            said = talk(server, PING_COMMAND + given)
            assert said.startswith(PONG), said
            return said[len(PONG):]
        expect({name: found for name, (given, wanted) in cases.items()
                if not (found := rest(given)).startswith(wanted) or bool(found) != bool(wanted)},
               {})
        expect(talk(server, PING_COMMAND * 100_000), PONG * 100_000)
        expect(talk(server, PING_COMMAND + b"*2\r\n$4\r\nEC", ends=False), PONG, "then silence")
        guesses = talk(server, command(b"AUTH", b"guess") * 100 + PING_COMMAND)
        assert guesses.count(b"-WRONGPASS") < 20 and PONG not in guesses, guesses


run_tests(globals())
