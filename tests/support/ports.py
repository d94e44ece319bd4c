"""Ports of the loopback for the servers of a test."""

import contextlib
import random
import socket


def free_port():
    """A port that nobody listens at, of those that no connection takes by itself: it stays free
    while a server of the test is away."""
    while True:
        port = random.randrange(20_000, 32_000)
        with socket.socket() as probe, contextlib.suppress(OSError):
            probe.bind(("127.0.0.1", port))
            return port
