"""A real proxy before a real app, with its configuration from examples/."""

import collections
import contextlib
import http.client
import http.server
import os
import re
import socket
import subprocess
import tempfile
import threading

from ports import free_port
from scene import PROJECT, Server
from server import DEADLINE_SECONDS, until

# The ports in the examples.
PROXY_PORT, APP_PORT, SLUICE_PORT = "8888", "8000", "8080"

with open(os.path.join(PROJECT, "docs", "integrations.md"), encoding="utf-8") as document:
    # Two posts per hour and address, one search in shadow mode, and denied paths.
    RULES = re.search(r"(?ms)^```yaml\n(.*?)^```$", document.read()).group(1)

Request = collections.namedtuple("Request", "method path body")
Reply = collections.namedtuple("Reply", "status headers body")


class App(http.server.ThreadingHTTPServer):
    """An app that accepts everything and records the requests that reached it."""

    def __init__(self):
        super().__init__(("127.0.0.1", 0), AppHandler)
        self.seen = []
        self.heads = []  # the headers of each request
        self.port = self.server_address[1]
        self.thread = threading.Thread(target=self.serve_forever)
        self.thread.start()

    def handle_error(self, *_):
        """A proxy may close its connections at any time."""

    def __exit__(self, *rest):
        self.shutdown()
        self.thread.join()
        super().__exit__(*rest)


class AppHandler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    timeout = DEADLINE_SECONDS

    def answer(self):
        body = self.rfile.read(int(self.headers.get("Content-Length", 0))).decode()
        self.server.seen.append(Request(self.command, self.path, body))
        self.server.heads.append(self.headers)
        said = b"the app\n"
        self.send_response(200)
        self.send_header("Content-Length", str(len(said)))
        self.end_headers()
        self.wfile.write(said)

    do_GET = do_POST = answer  # names required by BaseHTTPRequestHandler

    def log_message(self, *_):
        pass


class Proxy:
    """A proxy on a free port, stopped by its process id.

    The files of a folder of examples/ are used unchanged, except for the ports and the edits: pairs
    of a text that must occur and its replacement.
    """

    def __init__(self, kind, ports, edits):
        self.folder = tempfile.TemporaryDirectory()
        self.port = free_port()
        ports = {**ports, PROXY_PORT: str(self.port)}
        wanted = list(ports)
        examples = os.path.join(PROJECT, "examples", kind.folder)

        def new_port(found):
            return ports.setdefault(found.group(), str(free_port()))

        for name in os.listdir(examples):
            with open(os.path.join(examples, name), encoding="utf-8") as file:
                text = file.read()
            if name == kind.file:
                for old, new in [*kind.patience, *edits]:
                    assert old in text, f"{name} of the example has no {old}"
                    text = text.replace(old, new)
                for port in wanted:
                    assert port in text, f"{name} of the example has no port {port}"
            self.write(name, re.sub(r"\b8\d{3}\b", new_port, text))
        for name, text in kind.more.items():
            self.write(name, text)
        self.log = tempfile.TemporaryFile("w+")
        home = {"HOME": self.folder.name, "XDG_CONFIG_HOME": "", "XDG_DATA_HOME": ""}
        self.process = subprocess.Popen(kind.command, cwd=self.folder.name, stdout=self.log,
                                        stderr=subprocess.STDOUT, env={**os.environ, **home})

    def write(self, name, text):
        with open(os.path.join(self.folder.name, name), "w", encoding="utf-8") as file:
            file.write(text)

    def is_up(self):
        assert self.process.poll() is None, f"the proxy ended:\n{self.said()}"
        with socket.socket() as probe:
            return probe.connect_ex(("127.0.0.1", self.port)) == 0

    def said(self):
        self.log.seek(0)
        return self.log.read()

    def __enter__(self):
        until(self.is_up, "the proxy listens")
        return self

    def __exit__(self, kind, *_):
        self.process.terminate()
        self.process.wait(DEADLINE_SECONDS)
        if kind is not None:
            print(self.said())
        self.log.close()
        self.folder.cleanup()

    def ask(self, path, client="127.0.0.2", method="GET", body=None, headers=None):
        """Sends a request as a client at an address of the loopback. Returns the reply."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, DEADLINE_SECONDS,
                                                source_address=(client, 0))
        with contextlib.closing(connection):
            connection.request(method, path, body, headers or {})
            reply = connection.getresponse()
            return Reply(reply.status, reply.headers, reply.read().decode())


    def send(self, head, body=b"", client="127.0.0.2"):
        """Sends bytes that need not be a valid request. Returns status and headers of the reply.

        Both are None without a reply.
        """
        with socket.create_connection(("127.0.0.1", self.port), DEADLINE_SECONDS,
                                      source_address=(client, 0)) as connection:
            try:
                connection.sendall(head + b"Connection: close\r\n\r\n" + body)
            except ConnectionError:
                pass  # it may have been answered before everything was sent
            reply = http.client.HTTPResponse(connection)
            try:
                reply.begin()  # skips 100 (Continue)
            except (ConnectionError, http.client.HTTPException):
                return None, None
            return reply.status, reply.headers


# The properties of a proxy that tests need.
#   folder, file   of examples/: its configuration
#   command        runs the proxy in the folder with these files
#   more           further files it needs, by name
#   patience       edits that raise its timeout for Sluice, which may be slow in tests
#   fail_closed    edits that make it refuse requests while Sluice is down
#   away_status    status for clients in that case
#   hands_on_body  whether clients get the body of a refusal
#   denied         statuses for clients that a rule denies with 403, and with 503
Kind = collections.namedtuple(
    "Kind", "folder file command patience fail_closed away_status more hands_on_body denied",
    defaults=({}, True, (403, 503)))


# Clients use 127.0.0.2 and above, the proxy uses 127.0.0.1.
FLAGS = ["--trusted-proxies", "127.0.0.1/32"]


@contextlib.contextmanager
def stage(kind, edits=(), rules=RULES, flags=FLAGS):
    """Runs Sluice, an app and a proxy before it."""
    with App() as app, Server(rules, flags, listen=f"127.0.0.1:{free_port()}") as sluice:
        ports = {APP_PORT: str(app.port), SLUICE_PORT: str(sluice.port)}
        with Proxy(kind, ports, edits) as proxy:
            yield sluice, proxy, app
