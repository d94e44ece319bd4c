"""Envoy with ext_authz over HTTP, as in examples/envoy/ext_authz.yaml."""

import socket
import struct

from scene.proxy_contract import tests_of
from scene.proxies import AppHandler, Kind, stage
from scene import VENV, tool
from server import DEADLINE_SECONDS, expect, run_tests

ENVOY = Kind(
    folder="envoy",
    file="ext_authz.yaml",
    command=[tool("envoy", VENV + "/bin/envoy"), "--use-dynamic-base-id", "--concurrency", "1",
             "--log-level", "warning", "-c", "ext_authz.yaml"],
    patience=[("timeout: 0.1s", "timeout: 60s")],
    fail_closed=[("failure_mode_allow: true", "failure_mode_allow: false")],
    away_status=503,
    denied=(403, 200))  # Envoy treats 503 as a failure and fails open

# The first bytes of RESP and HTTP/2 are valid methods, too, and Envoy passes them on as the first
# bytes of a connection to Sluice.
ODD_METHODS = ("*", "PRI", "*1")


def frame(kind, flags, stream, payload):
    return struct.pack(">IBI", len(payload) << 8 | kind, flags, stream) + payload


def first_headers(port, method, path):
    """Returns the fields of Envoy's reply to a request over HTTP/2, as they are encoded."""
    fields = [(":method", method), (":scheme", "http"), (":path", path), (":authority", "e")]
    head = b"".join(b"\0" + bytes([len(name)]) + name.encode() + bytes([len(value)]) +
                    value.encode() for name, value in fields)
    settings, end_of_headers_and_stream, headers = 4, 5, 1
    with socket.create_connection(("127.0.0.1", port), DEADLINE_SECONDS,
                                  source_address=("127.0.0.2", 0)) as connection:
        connection.sendall(b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" + frame(settings, 0, 0, b"") +
                           frame(headers, end_of_headers_and_stream, 1, head))
        with connection.makefile("rb") as said:
            while start := said.read(9):
                payload = said.read(int.from_bytes(start[:3], "big"))
                if start[3] == headers:
                    return payload
    return None


def test_methods_that_look_like_other_protocols():
    """Uses a new connection: Envoy took the reply for a failure and let the request pass."""
    for method in ODD_METHODS:
        setattr(AppHandler, f"do_{method}", AppHandler.answer)
        with stage(ENVOY) as (_, proxy, app):
            fields = first_headers(proxy.port, method, "/private/x")
            assert fields is not None and b"\x03403" in fields[:8], f"{method}: {fields}"
            expect(app.seen, [], f"what reached the app by the method {method}")
            expect(proxy.ask("/v1/other").status, 200)


run_tests({**tests_of(ENVOY), **globals()})
