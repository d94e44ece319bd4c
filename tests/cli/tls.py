"""`sluice serve` with TLS and behind proxies: real sockets, with OpenSSL and curl as clients."""

import contextlib
import http.client
import json
import os
import signal
import socket
import ssl
import struct
import subprocess
import sys
import tempfile

PROJECT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.insert(0, os.path.join(PROJECT, "tests", "support"))

from server import DEADLINE_SECONDS, SLUICE, Server, expect, run_tests, until  # noqa: E402

RULES = """
domain: api
rules:
  - { name: posts, match: { path: /v1/posts }, per: [user], limit: 2/h }
  - { name: pages, match: { path: /page }, per: [ip], limit: 1/h }
  - { name: blocked, match: { ip: 203.0.113.66 }, action: deny }
"""


class Certificates:
    """A certificate authority and the certificates that it has signed, as files."""

    def __init__(self, name="authority"):
        self.folder = tempfile.TemporaryDirectory()
        self.count = 0
        self.ca = self.path("ca.pem")
        self._run("req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes",
                  "-keyout", self.path("ca.key"), "-out", self.ca, "-subj", f"/CN={name}",
                  "-days", "2", "-addext", "keyUsage=critical,keyCertSign,cRLSign")

    def path(self, name):
        return os.path.join(self.folder.name, name)

    def _run(self, *args):
        subprocess.run(["openssl", *args], check=True, capture_output=True,
                       timeout=DEADLINE_SECONDS)

    def issue(self, names, days=2):
        """Returns the paths of a certificate for these names and of its key."""
        self.count += 1
        base = self.path(str(self.count))
        with open(base + ".ext", "w", encoding="utf-8") as file:
            file.write(f"subjectAltName={names}\n")
        self._run("req", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes",
                  "-keyout", base + ".key", "-out", base + ".csr", "-subj", "/CN=somebody")
        self._run("x509", "-req", "-in", base + ".csr", "-CA", self.ca, "-CAkey",
                  self.path("ca.key"), "-set_serial", str(self.count), "-days", str(days),
                  "-extfile", base + ".ext", "-out", base + ".pem")
        return base + ".pem", base + ".key"

    def revoke(self, *serials):
        """Writes the list of revoked certificates, and returns its path."""
        database, config = self.path("index.txt"), self.path("ca.conf")
        with open(database, "w", encoding="ascii") as file:
            for serial in serials:
                file.write(f"R\t491231235959Z\t260101000000Z\t{serial:02X}\tunknown\t/CN=x\n")
        with open(config, "w", encoding="ascii") as file:
            file.write(f"[ca]\ndefault_ca=it\n[it]\ndatabase={database}\ndefault_md=sha256\n")
        path = self.path("revoked.pem")
        self._run("ca", "-config", config, "-gencrl", "-keyfile", self.path("ca.key"), "-cert",
                  self.ca, "-crldays", "2", "-out", path + ".new")
        os.rename(path + ".new", path)
        return path

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.folder.cleanup()


@contextlib.contextmanager
def serving(*flags, clients=None):
    """Runs a TLS server with a certificate for 127.0.0.1. Returns it and its authority."""
    with Certificates() as made:
        certificate, key = made.issue("IP:127.0.0.1,DNS:first")
        more = ["--tls-client-ca", clients.ca] if clients else []
        with Server(RULES, ["--tls-certificate", certificate, "--tls-key", key, *more,
                            *flags]) as server:
            server.certificate, server.key = certificate, key
            yield server, made


def context(ca, own=None, protocols=()):
    made = ssl.create_default_context(cafile=ca)
    if protocols:
        made.set_alpn_protocols(list(protocols))
    if own:
        made.load_cert_chain(*own)
    return made


def connect(server, ca, own=None, protocols=(), header=b""):
    """Returns a TLS connection, after the bytes that a proxy would have sent."""
    plain = server.connect()
    plain.sendall(header)
    try:
        return context(ca, own, protocols).wrap_socket(plain, server_hostname="127.0.0.1")
    except Exception:
        plain.close()
        raise


def ask(address, ca, path, body=None, own=None):
    """Returns status and body of one request over HTTPS."""
    host, port = address.rsplit(":", 1)
    connection = http.client.HTTPSConnection(host, int(port), timeout=DEADLINE_SECONDS,
                                             context=context(ca, own))
    with contextlib.closing(connection):
        connection.request("GET" if body is None else "POST", path,
                           None if body is None else json.dumps(body),
                           {"Content-Type": "application/json"})
        reply = connection.getresponse()
        return reply.status, reply.read().decode()


def check(server, ca, own=None):
    return ask(server.address, ca, "/v1/check",
               {"domain": "api", "attributes": {"user": "42", "path": "/v1/posts"}}, own)


def read_all(connection):
    reply = b""
    try:
        while part := connection.recv(4096):
            reply += part
    except ConnectionResetError:
        pass
    return reply


def is_refused(server, ca, own=None):
    """Returns whether the server closes without an answer; TLS 1.3 does so after the handshake."""
    try:
        check(server, ca, own)
    except (ssl.SSLError, ConnectionError, http.client.HTTPException):
        return True
    return False


def proxy_header(address, command=0x21):
    return (b"\r\n\r\n\0\r\nQUIT\n" + bytes([command, 0x11]) + struct.pack(">H", 12) +
            socket.inet_aton(address) + socket.inet_aton("198.51.100.7") +
            struct.pack(">HH", 4711, 443))


def status_behind(connection, path="/auth/api/page"):
    """Returns the status of a request on a connection that is plain by now."""
    connection.sendall(f"GET {path} HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n".encode())
    reply = read_all(connection)
    return int(reply.split(b" ")[1]) if reply else None


def test_https_on_both_addresses():
    with serving() as (server, made):
        expect([check(server, made.ca)[0] for _ in range(3)], [200, 200, 429])
        expect(ask(server.admin, made.ca, "/healthz"), (200, "ok\n"))
        metrics = ask(server.admin, made.ca, "/metrics")[1]
        assert "\nsluice_tls_certificate_expiry_timestamp_seconds " in metrics, metrics


def test_http2_by_alpn():
    with serving() as (server, made):
        found = subprocess.run(
            ["curl", "-sS", "--http2", "--cacert", made.ca, "-w", " HTTP/%{http_version}",
             "--json", '{"domain":"api","attributes":{"user":"1","path":"/v1/posts"}}',
             f"https://{server.address}/v1/check"],
            capture_output=True, text=True, timeout=DEADLINE_SECONDS, check=False)
        expect(found.stderr, "")
        assert '"allowed":true' in found.stdout, found.stdout
        assert found.stdout.endswith(" HTTP/2"), found.stdout
        with connect(server, made.ca, protocols=["http/1.1"]) as connection:
            expect(connection.selected_alpn_protocol(), "http/1.1")


def test_resp_over_tls():
    with serving() as (server, made), connect(server, made.ca) as connection:
        connection.sendall(b"*1\r\n$4\r\nPING\r\n")
        expect(connection.recv(100), b"+PONG\r\n")


def test_old_tls_versions_are_refused():
    with serving("--tls-min-version", "TLSv1.3") as (server, made):
        with connect(server, made.ca) as connection:
            expect(connection.version(), "TLSv1.3")
        old = context(made.ca)
        old.maximum_version = ssl.TLSVersion.TLSv1_2
        with server.connect() as plain:
            try:
                old.wrap_socket(plain, server_hostname="127.0.0.1")
                raise AssertionError("TLS 1.2 is spoken")
            except ssl.SSLError as error:
                assert "PROTOCOL_VERSION" in str(error), error


def test_a_client_without_tls_gets_an_explanation():
    with serving() as (server, made):
        with server.connect() as plain:
            plain.sendall(b"GET / HTTP/1.1\r\nHost: h\r\n\r\n")
            reply = read_all(plain)
            assert reply.startswith(b"HTTP/1.1 400 "), reply
            assert b"TLS" in reply, reply
        for garbage in (b"\0\1\2\3", b"\x16\x03\x01\x00\x05hello", b"*1\r\n$4\r\nPING\r\n"):
            with server.connect() as plain:
                plain.sendall(garbage)
                plain.shutdown(socket.SHUT_WR)
                read_all(plain)
        expect(check(server, made.ca)[0], 200)


def test_clients_must_show_a_certificate():
    with Certificates("clients") as clients, Certificates("others") as others:
        with serving("--tls-client-names", "*.example.org", clients=clients) as (server, made):
            good = clients.issue("DNS:gate.example.org")
            expect(check(server, made.ca, good)[0], 200)
            for own, why in ((None, "peer did not return a certificate"),
                             (others.issue("DNS:gate.example.org"), "unable to get local issuer"),
                             (clients.issue("DNS:gate.example.com"), "no name that is let in")):
                assert is_refused(server, made.ca, own), why
                text = server.line("client_certificate_refused")
                assert text.startswith("127.0.0.1: ") and why in text, text
            # The admin address requires one, too.
            expect(ask(server.admin, made.ca, "/healthz", own=good)[0], 200)
            try:
                ask(server.admin, made.ca, "/healthz")
                raise AssertionError("the admin address asks for no certificate")
            except (ssl.SSLError, ConnectionError, http.client.HTTPException):
                pass


def test_a_certificate_name_permits_lifting_limits():
    reset = {"domain": "api", "attributes": {"user": "42", "path": "/v1/posts"}}
    with Certificates("clients") as clients:
        with serving("--callers-names", "billing.example.org", "--tls-clients", "optional",
                     clients=clients) as (server, made):
            billing = clients.issue("DNS:billing.example.org")
            gateway = clients.issue("DNS:gateway.example.org")
            expect([check(server, made.ca)[0] for _ in range(3)], [200, 200, 429])
            for own in (None, gateway):
                expect(ask(server.address, made.ca, "/v1/reset", reset, own)[0], 403, own)
            expect(ask(server.address, made.ca, "/v1/reset", reset, billing)[0], 200)
            expect(check(server, made.ca)[0], 200)


def serial(connection):
    return connection.getpeercert()["serialNumber"]


def replace(server, certificate, key):
    """Renames both into place, the key last."""
    os.rename(certificate, server.certificate)
    os.rename(key, server.key)


def test_a_replaced_certificate_is_used_for_new_connections():
    with serving() as (server, made), connect(server, made.ca) as before:
        expect(serial(before), "01")

        def serial_now():
            with connect(server, made.ca) as connection:
                return serial(connection)

        replace(server, *made.issue("IP:127.0.0.1,DNS:second"))
        text = server.line("tls_loaded")
        assert text.startswith("a certificate for 127.0.0.1, second, good until "), text
        expect(serial_now(), "02")
        before.sendall(b"GET /nothing HTTP/1.1\r\nHost: h\r\n\r\n")
        assert before.recv(4096).startswith(b"HTTP/1.1 404 "), "it goes on"

        with open(server.certificate + ".new", "w", encoding="utf-8") as file:
            file.write("no certificate\n")
        os.rename(server.certificate + ".new", server.certificate)
        text = server.line("tls_not_loaded")
        assert "the certificate file holds no certificate in PEM" in text, text
        expect(serial_now(), "02", "the last good one stays")

        replace(server, *made.issue("IP:127.0.0.1"))
        until(lambda: serial_now() == "03", "the third is in force")
        server.process.send_signal(signal.SIGHUP)
        server.line("tls_unchanged")


def test_unusable_files_are_errors_at_start():
    with Certificates() as made:
        certificate, key = made.issue("DNS:a")
        other = made.issue("DNS:b")[1]
        with open(made.path("rules.yaml"), "w", encoding="utf-8") as file:
            file.write(RULES)
        for own, words in ((made.path("missing"), "missing: cannot be read"),
                           (other, "the key does not belong to the first certificate"),
                           (certificate, "the key file holds no private key")):
            found = subprocess.run(
                [SLUICE, "serve", "--rules", made.path("rules.yaml"), "--listen", "127.0.0.1:0",
                 "--admin", "127.0.0.1:0", "--tls-certificate", certificate, "--tls-key", own],
                capture_output=True, text=True, timeout=DEADLINE_SECONDS, check=False)
            expect(found.returncode, 1)
            assert words in found.stderr, found.stderr
        assert key


def test_a_drain_sends_close_notify():
    with serving() as (server, made), connect(server, made.ca) as connection:
        connection.sendall(b"GET /nothing HTTP/1.1\r\nHost: h\r\n\r\n")
        assert connection.recv(4096).startswith(b"HTTP/1.1 404 ")
        server.process.send_signal(signal.SIGTERM)
        expect(connection.recv(1), b"", "a goodbye, no cut connection")
        expect(server.process.wait(DEADLINE_SECONDS), 0)


def test_the_proxy_header_names_the_client():
    with Server(RULES, ["--proxy-protocol"]) as server:
        def get(header, path="/auth/api/page"):
            with server.connect() as connection:
                connection.sendall(header)
                return status_behind(connection, path)

        one, two = proxy_header("203.0.113.5"), proxy_header("203.0.113.6")
        expect([get(one), get(one), get(two), get(two)], [200, 429, 200, 429])
        expect(get(proxy_header("203.0.113.66"), "/auth/api/other"), 403)
        expect([get(proxy_header("203.0.113.5", 0x20)) for _ in range(2)], [200, 429],
               "LOCAL is the proxy itself")


def test_a_connection_without_a_header_is_closed():
    with Server(RULES, ["--proxy-protocol"]) as server:
        for header, why in ((b"", "no PROXY header"),
                            (b"PROXY TCP4 203.0.113.5 198.51.100.7 4711 443\r\n", "version 1")):
            with server.connect() as connection:
                connection.sendall(header)
                expect(status_behind(connection), None)
            text = server.line("proxy_header_refused")
            assert text.startswith("127.0.0.1: ") and why in text, text
    with Server(RULES, ["--proxy-protocol", "--trusted-proxies", "192.0.2.0/24"]) as server:
        with server.connect() as connection:
            connection.sendall(proxy_header("203.0.113.5"))
            expect(status_behind(connection), None)
        assert "no proxy that is trusted" in server.line("proxy_header_refused")


def test_a_client_behind_a_proxy_on_this_machine_may_not_lift_limits():
    body = b'{"domain":"api","attributes":{"user":"42","path":"/v1/posts"}}'
    with Server(RULES, ["--proxy-protocol", "--callers-loopback"]) as server:
        for header, status in ((proxy_header("127.0.0.1"), b"403"),
                               (proxy_header("127.0.0.1", 0x20), b"200")):  # the proxy itself
            with server.connect() as connection:
                connection.sendall(header + b"POST /v1/reset HTTP/1.1\r\nHost: h\r\nConnection: "
                                   b"close\r\nContent-Type: application/json\r\nContent-Length: "
                                   b"%d\r\n\r\n" % len(body) + body)
                expect(read_all(connection).split(b" ")[1], status)


def test_the_header_comes_before_tls():
    with serving("--proxy-protocol") as (server, made):
        statuses = []
        for address in ("203.0.113.5", "203.0.113.5", "203.0.113.6"):
            with connect(server, made.ca, header=proxy_header(address)) as connection:
                statuses.append(status_behind(connection))
        expect(statuses, [200, 429, 200])
        expect(ask(server.admin, made.ca, "/healthz")[0], 200, "not on the admin address")


def is_let_in(server, ca, own):
    try:
        return check(server, ca, own)[0] in (200, 429)
    except (ssl.SSLError, ConnectionError):
        return False


def test_revoked_clients_are_refused_and_the_list_is_reloaded():
    with Certificates("clients") as clients:
        good, lost = clients.issue("DNS:good"), clients.issue("DNS:lost")
        revoked = clients.revoke()
        with serving("--tls-client-crl", revoked, clients=clients) as (server, made):
            for own in (good, lost):
                assert is_let_in(server, made.ca, own)
            clients.revoke(2)
            server.line("tls_loaded")
            assert not is_let_in(server, made.ca, lost), "it was revoked while it runs"
            assert is_let_in(server, made.ca, good)


def test_the_admin_address_has_its_own_client_names():
    with Certificates("clients") as clients:
        gateway, probe = clients.issue("DNS:gateway"), clients.issue("DNS:probe")
        flags = ("--tls-client-names", "gateway", "--admin-client-names", "probe")
        with serving(*flags, clients=clients) as (server, made):
            def is_operator(own):
                with contextlib.suppress(ssl.SSLError, ConnectionError):
                    return ask(server.admin, made.ca, "/healthz", own=own)[0] == 200
                return False

            expect((is_let_in(server, made.ca, gateway), is_operator(gateway)), (True, False))
            expect((is_let_in(server, made.ca, probe), is_operator(probe)), (False, True))


run_tests(globals())
