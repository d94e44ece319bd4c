"""Servers of redis for one test each.

For scripts that are run as `python3 FILE path/to/sluice`.
"""

import os
import subprocess
import tempfile

from ports import free_port
from server import DEADLINE_SECONDS, until


class Redis:
    """A redis-server in a folder of its own, stopped by its process id. It persists nothing."""

    def __init__(self, *settings, password=""):
        self.folder = tempfile.TemporaryDirectory()
        self.password = password
        self.port, self.bus_port = free_port(), free_port()
        self.socket = os.path.join(self.folder.name, "socket")
        self.settings = settings
        self.start(settings)

    def start(self, settings):
        lines = [f"port {self.port}", "bind 127.0.0.1", f"dir {self.folder.name}", 'save ""',
                 f"unixsocket {self.socket}", *settings]
        if "cluster-enabled yes" in settings:
            lines.append(f"cluster-port {self.bus_port}")
        if self.password:
            lines.append(f"requirepass {self.password}")
        self.run(lines)

    def run(self, lines, *arguments):
        path = os.path.join(self.folder.name, "redis.conf")
        with open(path, "w", encoding="utf-8") as file:
            file.write("\n".join(lines) + "\n")
        self.process = subprocess.Popen(["redis-server", path, *arguments],
                                        stdout=subprocess.DEVNULL)
        until(lambda: self.call("PING").startswith(("PONG", "LOADING")), "redis-server answers")

    @property
    def address(self):
        return f"127.0.0.1:{self.port}"

    def call(self, *words):
        """Returns the output of redis-cli for a command."""
        assert self.process.poll() is None, "redis-server ended"
        login = ["-a", self.password, "--no-auth-warning"] if self.password else []
        done = subprocess.run(["redis-cli", "-p", str(self.port), *login, *words],
                              capture_output=True, text=True, timeout=DEADLINE_SECONDS, check=False)
        return done.stdout.strip()

    def info(self, section):
        """Returns a section of INFO, by name."""
        lines = self.call("INFO", section).splitlines()
        return dict(line.split(":", 1) for line in lines if ":" in line)

    def calls(self, command):
        """Returns how often the server got a command, named as in INFO."""
        told = self.info("commandstats").get(f"cmdstat_{command}", "calls=0")
        return int(told.split(",")[0].split("=")[1])

    def stop(self):
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait(DEADLINE_SECONDS)

    def start_again(self):
        """Restarts at the same address, without data."""
        self.start(self.settings)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.stop()
        self.folder.cleanup()


class Sentinel(Redis):
    """A sentinel that monitors a primary under the name main."""

    def __init__(self, primary, quorum=1, down_after_ms=1000):
        self.primary, self.quorum, self.down_after_ms = primary, quorum, down_after_ms
        super().__init__()

    def start(self, _settings):
        monitor = f"sentinel monitor main 127.0.0.1 {self.primary.port} {self.quorum}"
        self.run([f"port {self.port}", "bind 127.0.0.1", f"dir {self.folder.name}", monitor,
                  f"sentinel down-after-milliseconds main {self.down_after_ms}"], "--sentinel")
