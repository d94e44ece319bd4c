"""Connections of `sluice serve`: who is accepted, and what peers are sent and when."""

import contextlib
import os
import signal
import socket
import subprocess
import sys
import tempfile

PROJECT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.insert(0, os.path.join(PROJECT, "tests", "support"))

from server import DEADLINE_SECONDS, Server, ask, expect, run_tests, until  # noqa: E402

RULES = "domain: api\nrules: [{ name: all, per: [ip], limit: 1000/h }]\n"
BODY = b'{"domain":"api","attributes":{}}'
HEAD = (b"POST /v1/check HTTP/1.1\r\nHost: h\r\nContent-Type: application/json\r\n"
        b"Content-Length: %d\r\n\r\n" % len(BODY))
SERVING, NOT_SERVING = b"\0\0\0\0\2\x08\1", b"\0\0\0\0\2\x08\2"


def refuses(server):
    try:
        server.connect().close()
        return False
    except ConnectionError:
        return True


def test_a_drain_refuses_clients_and_serves_operators():
    with Server(RULES) as server, server.connect() as connection:
        connection.sendall(HEAD + BODY[:5])
        ask(server.address, "/v1/check", {"domain": "api", "attributes": {}})
        server.process.send_signal(signal.SIGTERM)
        server.line("draining")
        until(lambda: refuses(server), "new clients are refused")
        expect(ask(server.admin, "/readyz")[0], 503)
        expect(ask(server.admin, "/healthz")[0], 200)
        connection.sendall(BODY[5:])
        reply = b""
        while part := connection.recv(4096):
            reply += part
        assert reply.startswith(b"HTTP/1.1 200 OK\r\n"), reply
        expect(server.process.wait(DEADLINE_SECONDS), 0)


def test_a_health_watch_is_notified_of_a_drain_before_its_delay():
    flags = ["--drain-delay", "30m", "--drain-deadline", "1h"]
    with Server(RULES, flags) as server, tempfile.NamedTemporaryFile() as file:
        file.write(b"\0" * 5)
        file.flush()
        watch = subprocess.Popen(
            ["curl", "-sSN", "--http2-prior-knowledge", "-H", "content-type: application/grpc",
             "-H", "te: trailers", "--data-binary", f"@{file.name}",
             "--max-time", str(DEADLINE_SECONDS),
             f"http://{server.address}/grpc.health.v1.Health/Watch"],
            stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        expect(watch.stdout.read(len(SERVING)), SERVING)
        server.process.send_signal(signal.SIGTERM)
        expect(watch.stdout.read(len(NOT_SERVING)), NOT_SERVING)
        status = ask(server.address, "/v1/check", {"domain": "api", "attributes": {}})[0]
        expect(status, 200, "it serves on")
        server.process.send_signal(signal.SIGTERM)
        expect(watch.stdout.read(), b"")
        watch.wait()
        watch.stdout.close()
        expect(server.process.wait(DEADLINE_SECONDS), 0)


def test_operators_can_connect_if_clients_use_all_connections():
    with Server(RULES, ["--bounds-connections", "2"]) as server:
        with server.connect() as first, server.connect() as second, server.connect() as third:
            for each in (first, second):
                each.sendall(HEAD + BODY)
                assert each.recv(4096).startswith(b"HTTP/1.1 200 OK\r\n")
            third.sendall(HEAD + BODY)
            for _ in range(3):
                expect(ask(server.admin, "/healthz")[0], 200)
            first.close()
            assert third.recv(4096).startswith(b"HTTP/1.1 200 OK\r\n"), "it waited for its turn"


# The connection limit of the admin port.
ADMIN_CONNECTIONS = 32
PROBE = b"GET /healthz HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n"


def connect_admin(server):
    host, port = server.admin.rsplit(":", 1)
    return socket.create_connection((host, int(port)), DEADLINE_SECONDS)


def is_closed(connection):
    """Returns whether the other end has closed. REQUIRES: it owes no reply."""
    connection.setblocking(False)
    try:
        return connection.recv(1) == b""
    except BlockingIOError:
        return False
    finally:
        connection.settimeout(DEADLINE_SECONDS)


def test_idle_connections_to_the_admin_port_do_not_starve_the_probe():
    """This holds for keep-alive connections and for those without any request."""
    for first in (PROBE, b""):
        with Server(RULES, ["--deadlines-header", "1h"]) as server, contextlib.ExitStack() as stack:
            idle = []
            for _ in range(ADMIN_CONNECTIONS):
                idle.append(stack.enter_context(connect_admin(server)))
                idle[-1].sendall(first)
                if first:
                    assert idle[-1].recv(4096).startswith(b"HTTP/1.1 200 OK\r\n")
            expect(ask(server.admin, "/healthz")[0], 200)
            gone = [is_closed(connection) for connection in idle]
            assert 1 <= sum(gone) < ADMIN_CONNECTIONS, gone


def test_slow_bodies_to_the_admin_port_do_not_block_it():
    """Requests that need no body are answered at once; others leave room for the probe."""
    flags = ["--deadlines-body", "1h"]
    with Server(RULES, flags) as server, contextlib.ExitStack() as stack:
        def put(path):
            connection = stack.enter_context(connect_admin(server))
            connection.sendall(b"PUT %s HTTP/1.1\r\nHost: 127.0.0.1\r\n"
                               b"Content-Length: 5\r\n\r\nd" % path)
            return connection

        assert put(b"/healthz").recv(4096).startswith(b"HTTP/1.1 405 "), "without its body"
        expect(put(b"/log").recv(4096), b"", "it is closed after two seconds")
        for _ in range(2 * ADMIN_CONNECTIONS):
            put(b"/log")
        expect(ask(server.admin, "/healthz")[0], 200)


def test_connections_to_the_admin_port_are_closed_when_idle_for_ten_seconds():
    with Server(RULES) as server, connect_admin(server) as probe, server.connect() as client:
        for connection, request in ((probe, PROBE), (client, HEAD + BODY)):
            connection.sendall(request)
            assert connection.recv(4096).startswith(b"HTTP/1.1 200 OK\r\n")
        expect(probe.recv(1), b"", "the end")
        assert not is_closed(client), "clients may idle for longer"


def test_an_idle_client_is_closed_for_a_new_one():
    with Server(RULES, ["--bounds-connections", "2"]) as server:
        with server.connect() as idle, server.connect() as busy, server.connect() as third:
            idle.sendall(HEAD + BODY)
            assert idle.recv(4096).startswith(b"HTTP/1.1 200 OK\r\n")
            busy.sendall(HEAD + BODY[:5])
            third.sendall(HEAD + BODY)
            assert third.recv(4096).startswith(b"HTTP/1.1 200 OK\r\n")
            expect(idle.recv(1), b"", "the end")
            busy.sendall(BODY[5:])
            assert busy.recv(4096).startswith(b"HTTP/1.1 200 OK\r\n"), "it was not closed"


def proxy_header(client):
    return (b"\r\n\r\n\0\r\nQUIT\n\x21\x11\0\x0c" + socket.inet_aton(client)
            + socket.inet_aton("127.0.0.1") + b"\x0f\xa0\0\x50")


def test_connections_behind_a_proxy_count_for_their_clients():
    flags = ["--proxy-protocol", "--bounds-connections", "20"]
    with Server(RULES, flags) as server, contextlib.ExitStack() as stack:
        def reply_to(client):
            connection = stack.enter_context(server.connect())
            connection.sendall(proxy_header(client) + HEAD + BODY)
            try:
                return connection.recv(4096)
            except ConnectionResetError:
                return b""

        for _ in range(10):
            assert reply_to("198.51.100.7").startswith(b"HTTP/1.1 200 OK\r\n")
        expect(reply_to("198.51.100.7"), b"", "half of all is what one address may have")
        assert reply_to("203.0.113.9").startswith(b"HTTP/1.1 200 OK\r\n")


def test_slow_bodies_neither_close_idle_connections_nor_starve_clients():
    flags = ["--bounds-connections", "20", "--deadlines-body", "1h"]
    with Server(RULES, flags) as server, contextlib.ExitStack() as stack:
        idle = [stack.enter_context(server.connect()) for _ in range(3)]
        for connection in idle:
            connection.sendall(HEAD + BODY)
            assert connection.recv(4096).startswith(b"HTTP/1.1 200 OK\r\n")
        for _ in range(40):
            stack.enter_context(server.connect()).sendall(HEAD + BODY[:5])
        with server.connect() as another:
            another.sendall(HEAD + BODY)
            assert another.recv(4096).startswith(b"HTTP/1.1 200 OK\r\n"), "it was starved"
        for connection in idle:
            connection.sendall(HEAD + BODY)
            assert connection.recv(4096).startswith(b"HTTP/1.1 200 OK\r\n"), "it was closed"


def test_old_connections_are_asked_to_close():
    with Server(RULES, ["--deadlines-age", "1s"]) as server, server.connect() as client:
        reply = b""
        while b"Connection: close" not in reply:
            client.sendall(HEAD + BODY)
            reply = client.recv(4096)
            assert reply.startswith(b"HTTP/1.1 200 OK\r\n"), reply
        expect(client.recv(1), b"", "the end")


run_tests(globals())
