"""Well-behaved clients beside misbehaving ones, and the resources that a server holds meanwhile."""

import json
import os
import re
import signal
import subprocess

from server import DEADLINE_SECONDS, SLUICE, ask, expect

# Every protocol of the port, with a key whose limit is never reached.
PROTOCOLS = {
    "http": ["--domain", "neighbours"],
    "rls": ["--domain", "neighbours"],
    "resp": ["--command", "CL.THROTTLE {key} 1000000 1000000 1"],
}
RULES = """
domain: neighbours
rules: [{ name: all, per: [user], limit: 1000000/s }]
"""
# Connections per client, and requests per second.
CONNECTIONS, RATE = 3, 50

# Otherwise the sanitizer's quarantine holds freed memory, and memory seems to grow.
os.environ["ASAN_OPTIONS"] = ":".join(
    filter(None, [os.environ.get("ASAN_OPTIONS"), "quarantine_size_mb=1"]))


def bench(address, protocol, *flags):
    """Runs `sluice bench` as a process that prints its report when it is interrupted."""
    return subprocess.Popen(
        [SLUICE, "bench", "--server", address, "--protocol", protocol, "--connections",
         str(CONNECTIONS), "--timeout", f"{DEADLINE_SECONDS}s", "-o", "json", "--progress", *flags],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


class Neighbours:
    """One client per protocol, at a constant rate. None of their requests may fail.

    The server needs the RULES.
    """

    count = len(PROTOCOLS) * CONNECTIONS

    def __init__(self, server):
        self.benches = {protocol: bench(server.address, protocol, *flags, "--rate", str(RATE),
                                        "--duration", "1h")
                        for protocol, flags in PROTOCOLS.items()}

    def __enter__(self):
        for process in self.benches.values():
            process.stderr.readline()  # its first second has passed
        return self

    def __exit__(self, kind, *_):
        for process in self.benches.values():
            process.send_signal(signal.SIGINT)
        for protocol, process in self.benches.items():
            said, error = process.communicate(timeout=DEADLINE_SECONDS)
            if kind is None:
                report = json.loads(said or "{}")
                expect((process.returncode, report.get("errors")), (0, 0),
                       f"{protocol}: {said}{error}")
                # If it had waited for one of them, fewer would have been answered.
                assert report["allowed"] > RATE // 2, report


def connections(server):
    """Returns the number of connections that clients have to the server."""
    found = re.search(rf'(?m)^sluice_connections{{listener="{re.escape(server.address)}"}} (\d+)$',
                      ask(server.admin, "/metrics")[2])
    return int(found.group(1))
