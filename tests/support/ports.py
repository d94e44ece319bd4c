"""Ports on the loopback for the servers of a test."""

import contextlib
import random
import socket


def free_port():
    """Returns an unused port outside the range of ephemeral ports, so that it stays free while a
    server of the test is down."""
    while True:
        port = random.randrange(20_000, 32_000)
        with socket.socket() as probe, contextlib.suppress(OSError):
            probe.bind(("127.0.0.1", port))
            return port
