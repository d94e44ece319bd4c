"""`sluice check` against a real server, and against addresses that are none."""

import json
import os
import socket
import subprocess
import sys
import tempfile
import threading

PROJECT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.insert(0, os.path.join(PROJECT, "tests", "support"))

from ports import free_port  # noqa: E402
from server import DEADLINE_SECONDS, SLUICE, Server, expect, run_tests  # noqa: E402

RULES = """
domain: api
rules:
  - { name: closed, match: { path: /closed }, action: deny }
  - { name: posts, match: { path: /v1/posts }, per: [user], limit: { rate: 2/h, burst: 2 } }
  - { name: busy, match: { path: /busy }, limit: 1/h, status: 503, message: come back tomorrow }
descriptors:
  - key: to
    rate_limit: { unit: hour, requests_per_unit: 3 }
"""

PROTOCOLS = ("http", "rls", "resp")


def check(server, *args, domain="api", command="check"):
    done = subprocess.run([SLUICE, command, "--server", server, "--domain", domain, *args],
                          capture_output=True, text=True, timeout=DEADLINE_SECONDS, check=False)
    return done.returncode, done.stdout, done.stderr


def test_the_third_request_of_two_is_refused_over_each_protocol():
    with Server(RULES) as server:
        for protocol in PROTOCOLS:
            found = [check(server.address, "--protocol", protocol, f"user={protocol}",
                           "path=/v1/posts") for _ in range(3)]
            expect([code for code, _, _ in found], [0, 0, 1], protocol)
            assert found[0][1].startswith("domain 'api': allowed\n"), found[0]
            assert found[2][1].startswith("domain 'api': refused"), found[2]
            for code, said, error in found:
                assert "posts" in said, said
                expect(error, "")


def test_each_protocol_has_one_form_of_json():
    with Server(RULES) as server:
        for protocol in PROTOCOLS:
            code, said, _ = check(server.address, "--protocol", protocol, "-o", "json",
                                  f"user={protocol}", "path=/v1/posts")
            expect(code, 0)
            verdict = json.loads(said)
            expect(said.count("\n"), 1)
            expect(verdict["protocol"], protocol)
            expect((verdict["server"], verdict["domain"]), (server.address, "api"))
            expect((verdict["allowed"], verdict["retry_after_ms"]), (True, None))
            decision = verdict["decisions"][0]
            expect((decision["limit"], decision["remaining"]), (2, 1), protocol)
            assert 0 < decision["reset_after_ms"] <= 1_800_000, decision


def test_the_cost_is_taken():
    with Server(RULES) as server:
        for protocol in PROTOCOLS:
            args = ("--protocol", protocol, f"user={protocol}", "path=/v1/posts")
            expect(check(server.address, "--cost", "0", *args)[0], 0)
            expect(check(server.address, "--cost", "2", *args)[0], 0, protocol)
            expect(check(server.address, "--cost", "1", *args)[0], 1, protocol)
            expect(check(server.address, "--cost", "3", *args)[0], 1, protocol)
            if protocol != "rls":  # Envoy's protocol does not report it
                assert "waiting does not help" in check(server.address, "--cost", "3", *args)[1]


def test_a_descriptor_is_reported_with_its_limit():
    with Server(RULES) as server:
        code, said, _ = check(server.address, "--protocol", "rls", "to=2061111111")
        expect(code, 0)
        assert "3/h" in said and "2 of 3" in said, said


def test_a_deny_and_a_rules_own_status_are_refusals():
    with Server(RULES) as server:
        code, said, _ = check(server.address, "path=/closed")
        expect(code, 1)
        assert "waiting does not help" in said and "'closed' denies" in said, said
        expect(check(server.address, "path=/busy")[0], 0)
        code, said, _ = check(server.address, "path=/busy")
        expect(code, 1)
        assert "come back tomorrow" in said, said


def test_over_a_unix_socket():
    with tempfile.TemporaryDirectory() as folder:
        path = f"unix:{folder}/s"
        with Server(RULES, listen=path):
            for protocol in PROTOCOLS:
                expect(check(path, "--protocol", protocol, "user=1", "path=/x")[0], 0, protocol)


def test_errors_of_the_server_are_reported():
    with Server(RULES) as server:
        for protocol, words in (("http", "answered 404: There are no rules for this domain"),
                                ("resp", "answered: ERR unknown domain 'none'")):
            code, said, error = check(server.address, "--protocol", protocol, "a=b", domain="none")
            expect((code, said), (3, ""), protocol)
            assert f"{server.address} {words}" in error, error
        code, _, error = check(server.address, "a=b", "a=c")
        expect(code, 3)
        assert "answered 400: " in error, error


def answer_with(said):
    """Starts a server that sends the same bytes to its client; it sends nothing if that is None."""
    listening = socket.create_server(("127.0.0.1", 0))

    def serve():
        connection, _ = listening.accept()
        with connection:
            if said is None:
                connection.recv(1)
                stop.wait(DEADLINE_SECONDS)
            else:
                connection.sendall(said)
                connection.shutdown(socket.SHUT_WR)
                while connection.recv(65536):
                    pass

    stop = threading.Event()
    thread = threading.Thread(target=serve)
    thread.start()
    return listening, stop, thread


def asked_of(said, protocol, *flags):
    listening, stop, thread = answer_with(said)
    host, port = listening.getsockname()
    code, _, error = check(f"{host}:{port}", "--protocol", protocol, *flags, "a=b")
    stop.set()
    thread.join()
    listening.close()
    return code, error


def test_an_invalid_reply_is_reported():
    http_error = b"HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n"
    for protocol, said, words in (
            ("http", b"-ERR unknown command\r\n", "does not speak HTTP/1"),
            ("http", b"", "closed the connection without an answer"),
            ("http", b"HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\ncut", "closed the connection"),
            ("http", b"HTTP/1.1 500 Oops\r\nContent-Length: 0\r\n\r\n", "answered 500\n"),
            ("http", b"HTTP/1.1 502 Oops\r\nContent-Length: 11\r\n\r\nno \x07one\r\nat home",
             r"answered 502: no \x07one" + "\n"),
            ("http", b"HTTP/1.1 502 Oops\r\nContent-Length: 6\r\n\r\n<html>", "answered 502\n"),
            ("http", b'HTTP/1.1 500 Oops\r\nContent-Length: 26\r\n\r\n{"detail":"\\u001b[31mred"}',
             r"answered 500: \x1b[31mred"),
            ("resp", http_error, "does not speak RESP"),
            ("resp", b"+OK\r\n", "answered SLUICE.CHECK with something else"),
            ("resp", b"", "closed the connection without an answer"),
            ("rls", http_error, "does not speak HTTP/2"),
            ("rls", b"", "closed the connection without an answer")):
        code, error = asked_of(said, protocol)
        expect(code, 3, protocol)
        assert words in error, (protocol, said, error)


def test_any_server_may_refuse_by_its_status_alone():
    code, _ = asked_of(b"HTTP/1.1 429 Slow\r\nContent-Length: 2\r\n\r\nno", "http")
    expect(code, 1)


def test_only_the_member_allowed_makes_a_request_pass():
    for body, code in ((b'{"allowed":true}', 0), (b'{"allowed":false,"retry_after_ms":1000}', 1),
                       (b"<html>hello</html>", 3), (b'{"allowed":"true"}', 3), (b"{}", 3),
                       (b"", 3)):
        said = b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n%s" % (len(body), body)
        found, error = asked_of(said, "http")
        expect(found, code, body)
        expect("answered /v1/check with something else" in error, code == 3, error)


def test_impossible_lengths_are_not_reported():
    most = 2**63 - 1
    for millis in (most, -most - 1):
        members = (0, 5, 0, most, millis, -1, millis)
        said = b"*7\r\n" + b"".join(b":%d\r\n" % member for member in members)
        said = said.replace(b":-1\r\n", b"$4\r\nrule\r\n")
        listening, stop, thread = answer_with(said)
        code, told, error = check("%s:%d" % listening.getsockname(), "--protocol", "resp", "-o",
                                  "json", "a=b")
        stop.set()
        thread.join()
        listening.close()
        expect((code, error), (1, ""))
        verdict = json.loads(told)
        expect((verdict["retry_after_ms"], verdict["wait_ms"]), (None, 0))
        expect(verdict["decisions"][0]["reset_after_ms"], None)


def test_sends_headers_and_a_token():
    token = "a-token-of-callers"
    with tempfile.NamedTemporaryFile("w") as right, tempfile.NamedTemporaryFile("w") as wrong:
        print(token, file=right, flush=True)
        print(token + "s", file=wrong, flush=True)
        with Server(RULES, flags=["--callers-token", token]) as server:
            for protocol in PROTOCOLS:
                code, said, error = check(server.address, "--protocol", protocol, "--token-file",
                                          right.name, f"user={protocol}", "path=/v1/posts")
                expect((code, error), (0, ""), protocol)
                assert token not in said, said
            code, said, error = check(server.address, "--protocol", "resp", "--token-file",
                                      wrong.name, "user=x")
            expect((code, said), (3, ""))
            assert "does not take the token: WRONGPASS" in error and token not in error, error
        listening = socket.create_server(("127.0.0.1", 0))
        asking = threading.Thread(target=check, args=(
            "%s:%d" % listening.getsockname(), "--header", "X-Team: a", "--header", "b: c",
            "--token-file", right.name, "user=1"))
        asking.start()
        connection, _ = listening.accept()
        sent = b""
        while b"user" not in sent:
            sent += connection.recv(65536)
        connection.close()
        asking.join()
        listening.close()
        expect(sent.count(b"\r\nx-team: a\r\nb: c\r\nauthorization: Bearer " + token.encode()
                          + b"\r\n\r\n"), 1, sent)


def test_peek_takes_nothing():
    with Server(RULES) as server:
        for protocol in ("http", "resp"):
            args = ("--protocol", protocol, f"user={protocol}", "path=/v1/posts")
            for _ in range(3):
                code, said, error = check(server.address, *args, command="peek")
                expect((code, error), (0, ""), protocol)
                assert "2 of 2" in said, said
            expect(check(server.address, "--cost", "2", *args)[0], 0)
            code, said, _ = check(server.address, *args, command="peek")
            expect(code, 1, protocol)
            assert said.startswith("domain 'api': refused"), said
        code, _, error = check(server.address, "--protocol", "rls", "a=b", command="peek")
        expect(code, 2)
        assert "--protocol: rls has no peek; expected http or resp" in error, error


def test_refund_and_reset_need_permission():
    token = "a-token-of-callers"
    with tempfile.NamedTemporaryFile("w") as right, tempfile.NamedTemporaryFile("w") as wrong:
        print(token, file=right, flush=True)
        print(token + "s", file=wrong, flush=True)
        with Server(RULES, flags=["--callers-token", token]) as server:
            request = ("user=1", "path=/v1/posts")
            shown = ("--token-file", right.name)
            expect(check(server.address, "--cost", "2", *request)[0], 0)
            expect(check(server.address, *request)[0], 1)
            for command, left, word in (("refund", "1 of 2", "refunded"), ("reset", "2 of 2",
                                                                           "reset")):
                code, said, error = check(server.address, *request, command=command)
                expect((code, said), (3, ""), command)
                assert f"sluice {command}: {server.address} answered 40" in error, error
                assert "name; show the token of 'callers' by --token-file, or ask" in error, error
                expect(error.count("permission"), 1, error)
                code, _, error = check(server.address, "--token-file", wrong.name, *request,
                                       command=command)
                expect(code, 3)
                assert "is not that of 'callers'" in error and token not in error, error
                code, said, error = check(server.address, *shown, *request, command=command)
                expect((code, error), (0, ""), command)
                assert said.startswith(f"domain 'api': {word}\n") and left in said, said
            for protocol in ("rls", "resp"):
                code, _, error = check(server.address, "--protocol", protocol, *request,
                                       command="reset")
                expect(code, 2)
                assert f"--protocol: {protocol} has no reset; expected http" in error, error


def test_the_admin_address_is_recognized():
    with Server(RULES) as server:
        for protocol in PROTOCOLS:
            code, said, error = check(server.admin, "--protocol", protocol, "a=b")
            expect((code, said), (3, ""), protocol)
            assert "; it is the admin address of a server" in error, (protocol, error)
            expect("answered 405; it is" in error, protocol == "http", error)


def test_a_tls_port_is_recognized():
    with tempfile.TemporaryDirectory() as folder:
        key, certificate = f"{folder}/key.pem", f"{folder}/server.pem"
        subprocess.run(["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt",
                        "ec_paramgen_curve:prime256v1", "-nodes", "-keyout", key, "-out",
                        certificate, "-days", "2", "-subj", "/CN=localhost"],
                       capture_output=True, check=True, timeout=DEADLINE_SECONDS)
        with Server(RULES, flags=["--tls-certificate", certificate, "--tls-key", key]) as server:
            for protocol in PROTOCOLS:
                code, said, error = check(server.address, "--protocol", protocol, "a=b")
                expect((code, said), (3, ""), protocol)
                assert "; the clients of sluice speak plain text only" in error, (protocol, error)
            _, _, error = check(server.address, "a=b")
            assert "answered 400: this port speaks TLS; expected https; the clients" in error, error


def test_no_limit_is_not_a_success():
    token = "a-token-of-callers"
    with tempfile.NamedTemporaryFile("w") as file:
        print(token, file=file, flush=True)
        with Server(RULES, flags=["--callers-token", token]) as server:
            for command, word in (("refund", "refunded"), ("reset", "reset")):
                found = check(server.address, "--token-file", file.name, "user=1", command=command)
                expect(found, (1, "domain 'api': no limit applies to these attributes; nothing was "
                                  f"{word}\n", ""))
            expect(check(server.address, "user=1", command="peek"),
                   (0, "domain 'api': allowed; no limit applied\n", ""))
            for protocol in PROTOCOLS:
                expect(check(server.address, "--protocol", protocol, "user=1"),
                       (0, "domain 'api': allowed; no limit applied\n", ""), protocol)


def test_an_unknown_domain_is_reported_over_envoys_protocol_too():
    with Server(RULES) as server:
        expect(check(server.address, "--protocol", "rls", "user=1", domain="aip"),
               (3, "domain 'aip': allowed; no limit applied\n",
                f"sluice check: {server.address} has no rules for the domain 'aip', so no limit "
                "applied\n"))


def test_connection_refused():
    address = f"127.0.0.1:{free_port()}"
    code, _, error = check(address, "a=b")
    expect(code, 3)
    assert (f"cannot connect to {address}: Connection refused; is 'sluice serve' running there?"
            in error), error
    code, error = asked_of(None, "http", "--timeout", "50ms")
    expect(code, 3)
    assert "gave no answer in 50ms" in error, error
    code, _, error = check("unix:/nonexistent/socket", "a=b")
    expect(code, 3)
    assert "cannot connect to unix:/nonexistent/socket: No such file" in error, error


def test_invalid_commands():
    for args, words in ((["--server", "nonsense", "--domain", "d"], "--server: "),
                        (["--server", "h:1"], "expected --domain"),
                        (["--domain", "d"], "expected --server"),
                        (["--port", "8080"], "did you mean '--server'?"),
                        (["--server", "h:1", "--domain", "d", "x"], "expected ATTRIBUTE=VALUE"),
                        (["--server", "h:1", "--domain", "d", "--protocol", "htp"], "'http'"),
                        (["--server", "h:1", "--domain", "d", "--timeout", "0s"], "--timeout: "),
                        (["--server", "h:1", "--domain", "d", "--cost", "-1"], "--cost: "),
                        (["--server", "h:1", "--domain", "d", "--header", "x"], "--header: "),
                        (["--server", "h:1", "--domain", "d", "--token-file", "/no/file", "a=b"],
                         "--token-file: '/no/file' cannot be read"),
                        (["--server", "h:1", "--domain", "d", "--protocol", "resp", "--header",
                          "a: b"], "--header is not for resp"),
                        (["--server", "h:1", "--domain", "d", "--protocol", "rls"], "attribute"),
                        (["--server", "h:1", "--domain", "d", "--protocol", "resp", "cost=1"],
                         "cost or peek")):
        done = subprocess.run([SLUICE, "check", *args], capture_output=True, text=True,
                              timeout=DEADLINE_SECONDS, check=False)
        expect(done.returncode, 2, args)
        assert words in done.stderr, done.stderr


run_tests(globals())
