"""`sluice serve` as a process, with real sockets and real signals."""

import functools
import json
import os
import signal
import socket
import subprocess
import sys
import tempfile
import threading

PROJECT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.insert(0, os.path.join(PROJECT, "tests", "support"))

import server  # noqa: E402
from server import DEADLINE_SECONDS, SLUICE, ask, expect, run_tests, until  # noqa: E402

RULES = """
domain: api
rules:
  - { name: posts, match: { path: /v1/posts }, per: [user], limit: 2/h }
  - { name: quiet, match: { path: /v1/quiet }, per: [user], limit: 1/h, mode: shadow }
---
domain: messaging
descriptors:
  - key: to
    rate_limit: { unit: hour, requests_per_unit: 1 }
"""


Server = functools.partial(server.Server, RULES)


def check(server, user="42", path="/v1/posts"):
    return ask(server.address, "/v1/check",
               {"domain": "api", "attributes": {"user": user, "path": path}})


def resp(connection, *commands):
    """Sends commands at once and reads their replies: arrays of numbers, lines or bulks."""
    sent = ""
    for command in commands:
        words = command.split()
        sent += f"*{len(words)}\r\n" + "".join(f"${len(w)}\r\n{w}\r\n" for w in words)
    connection.sendall(sent.encode())
    with connection.makefile("rb") as file:
        def read():
            line = file.readline().rstrip(b"\r\n")
            if line[:1] == b"*":
                return [read() for _ in range(int(line[1:]))]
            if line[:1] == b":":
                return int(line[1:])
            return line.decode()
        return [read() for _ in commands]


def test_the_third_request_of_two_is_refused():
    with Server() as server:
        expect([check(server)[0] for _ in range(3)], [200, 200, 429])
        status, headers, body = check(server)
        expect(status, 429)
        expect(headers["Content-Type"], "application/problem+json")
        assert 0 < int(headers["Retry-After"]) <= 1800, headers["Retry-After"]
        expect(json.loads(body)["violated-policies"], ["posts/h"])
        expect(check(server, user="43")[0], 200, "another user")


def test_shadow_refuses_no_request():
    with Server() as server:
        replies = [check(server, path="/v1/quiet") for _ in range(3)]
        expect([status for status, _, _ in replies], [200] * 3)
        decision = json.loads(replies[-1][2])["decisions"][0]
        expect((decision["allowed"], decision["mode"]), (False, "shadow"))


def test_forward_auth_normalizes_paths():
    with Server() as server:
        server.write(RULES.replace("per: [user]", "per: [ip]"))
        server.process.send_signal(signal.SIGHUP)
        server.line("rules_loaded")
        statuses = [ask(server.address, "/auth/api" + path)[0]
                    for path in ("/v1//posts", "/v1/./posts", "/v1/%70osts")]
        expect(statuses, [200, 200, 429])
        status, headers, _ = ask(server.address, "/auth/api?deny=403", headers={
            "X-Original-URI": "/v1/posts", "X-Original-Method": "GET"})
        expect((status, headers["X-RateLimit-Status"]), (403, "429"))


def test_misconfigured_forward_auth_is_reported():
    with Server() as server:
        expect(ask(server.address, "/auth/api")[0], 400)
        expect(ask(server.address, "/auth/apii/v1/posts")[0], 200)
        assert "the domain 'apii' has no rules" in server.line("unknown_domain")
        status, _, body = ask(server.address, "/auth/api", headers={
            "X-Original-URI": "/a", "X-Forwarded-For": "1.2.3.4", "Forwarded": "for=5.6.7.8"})
        expect(status, 400)
        assert "client_header" in body, body
        expect(ask(server.admin, "/readyz?verbose")[2],
               "server: ready\nrules: in force\nunknown_domain: 1 call ('apii')\n"
               "no_original_request: 1 call ('127.0.0.1')\n")
        text = ask(server.admin, "/metrics")[2]
        for line in ('{cause="unknown_domain"} 1', '{cause="untrusted_proxy"} 0',
                     '{cause="no_original_request"} 1'):
            assert f"sluice_warnings_total{line}\n" in text, text
    with Server(["--unknown-domain", "refuse", "--client-header", "x-forwarded-for"]) as server:
        expect(ask(server.address, "/auth/apii/v1/posts")[0], 403)
        descriptors = [{"entries": [{"key": "user", "value": "42"}]}]
        expect(ask(server.address, "/json", {"domain": "apii", "descriptors": descriptors})[0], 429)
        expect(ask(server.address, "/auth/api", headers={
            "X-Original-URI": "/a", "X-Forwarded-For": "1.2.3.4", "Forwarded": "for=5.6.7.8"})[0],
               200)


def test_redis_cell_sequence_on_the_wire():
    with Server() as server, server.connect() as connection:
        found = resp(connection, "PING", "CL.THROTTLE k 0 1 2", "CL.THROTTLE k 0 1 2",
                     "CL.THROTTLE l 15 30 60")
        expect(found, ["+PONG", [0, 1, 0, -1, 2], [1, 1, 0, 2, 2], [0, 16, 15, -1, 2]])


def test_grpc_over_http2():
    def field(number, value):
        return bytes([number << 3 | 2, len(value)]) + value

    entry = field(1, field(1, b"to") + field(2, b"2061111111"))
    message = field(1, b"messaging") + field(2, entry)
    with Server() as server, tempfile.NamedTemporaryFile() as file:
        file.write(b"\0" + len(message).to_bytes(4, "big") + message)
        file.flush()
        codes = []
        for _ in range(2):
            reply = subprocess.run(
                ["curl", "-sS", "--http2-prior-knowledge", "-H", "content-type: application/grpc",
                 "-H", "te: trailers", "--data-binary", f"@{file.name}", "-D", "-",
                 f"http://{server.address}"
                 "/envoy.service.ratelimit.v3.RateLimitService/ShouldRateLimit"],
                stdout=subprocess.PIPE, check=True, timeout=DEADLINE_SECONDS).stdout
            assert b"grpc-status: 0" in reply, reply
            head, body = reply.split(b"\r\n\r\n", 1)
            assert b"application/grpc" in head, head
            codes.append(body[5:7])
        expect(codes, [b"\x08\x01", b"\x08\x02"], "OK, then OVER_LIMIT")


def test_bad_requests_are_explained_and_affect_no_other_client():
    with Server() as server:
        status, _, body = ask(server.address, "/v1/check", {"domain": "api", "attribute": {}})
        expect(status, 400)
        assert "attributes" in body, body
        expect(ask(server.address, "/v1/check", {"domain": "none", "attributes": {}})[0], 404)
        expect(ask(server.address, "/nothing")[0], 404)
        for bad in (b"GET / HTTP/1.1\nHost: h\n\n", b"PRI * HTTP/2.0\r\n\r\nXX\r\n\r\n" * 9,
                    b"*1\r\n:1\r\n", b"\0\1\2\3\r\n\r\n", b"*99999999999\r\n"):
            with server.connect() as connection:
                connection.sendall(bad)
                connection.shutdown(socket.SHUT_WR)
                while connection.recv(4096):
                    pass
        expect(check(server)[0], 200)


def test_a_client_that_sends_too_much_can_still_read_the_error():
    head = b"POST /v1/check HTTP/1.1\r\nHost: h\r\nContent-Length: 9999999\r\n\r\n"
    with Server() as server:
        for _ in range(50):  # only some of them get a reset instead of the end
            with server.connect() as connection:
                connection.sendall(head + b"x" * 500_000)
                reply = b""
                while part := connection.recv(4096):
                    reply += part
                assert reply.startswith(b"HTTP/1.1 413 "), reply


def test_address_already_in_use_is_an_error():
    with Server() as server:
        found = subprocess.run([SLUICE, "serve", "--rules", server.rules, "--listen",
                                server.address, "--admin", "127.0.0.1:0"],
                               capture_output=True, text=True, timeout=DEADLINE_SECONDS,
                               check=False)
        expect(found.returncode, 1)
        assert f"cannot listen at {server.address}" in found.stderr, found.stderr
        expect(check(server)[0], 200, "the first goes on")


def test_a_bad_file_keeps_the_rules_in_force():
    with Server() as server:
        check(server)
        server.write("domain: api\nrules: [{limt: 1/s}]\n")
        server.process.send_signal(signal.SIGHUP)
        assert "limt" in server.line("rules_not_loaded")
        expect(json.loads(ask(server.admin, "/rules")[2])["failure"] is not None, True)
        expect([check(server)[0] for _ in range(2)], [200, 429], "states and rules stay")
        server.write(RULES.replace("2/h", "4/h"))
        until(lambda: json.loads(ask(server.admin, "/rules")[2])["failure"] is None,
              "the good file is in force")
        expect([check(server)[0] for _ in range(3)], [200, 200, 429], "used units carry over")


def test_logs_warnings_and_recovery():
    with Server() as server:
        odd = "domain: api\nrules: [{ name: a, match: { method: post }, per: ip, limit: 5/s }]\n"
        server.write(odd)
        server.process.send_signal(signal.SIGHUP)
        assert "did you mean 'POST'?" in server.line("rules_warning")
        server.write("domain: api\nrules: [{limt: 1/s}]\n")
        server.process.send_signal(signal.SIGHUP)
        server.line("rules_not_loaded")
        server.write(odd)
        server.process.send_signal(signal.SIGHUP)
        said = server.line("rules_unchanged")
        assert said.endswith("the files say what is in force again"), said
        levels = {line["event"]: line["level"] for line in map(json.loads, server.lines)}
        expect((levels["rules_warning"], levels["rules_unchanged"]), ("warning", "info"))


def test_health_and_metrics():
    with Server(flags=["--admin-token", "sixteen bytes at least"]) as server:
        expect(ask(server.admin, "/healthz")[0], 200)
        expect(ask(server.admin, "/readyz")[::2], (200, "ready\n"))
        expect(ask(server.admin, "/metrics")[0], 401)
        shown = {"Authorization": "Bearer sixteen bytes at least"}
        status, _, text = ask(server.admin, "/metrics", headers=shown)
        expect(status, 200)
        assert "sluice_ready 1\n" in text, text
        settings = ask(server.admin, "/settings", headers=shown)[2]
        assert "sixteen" not in settings, settings


def test_states_survive_a_restart():
    with Server() as server:
        snapshot = os.path.join(server.folder.name, "states")
        flags = ["--store-snapshot", snapshot]
        expect(server.stop(), 0)
        server.start(flags)
        expect([check(server)[0] for _ in range(2)], [200, 200])
        expect(server.stop(), 0)
        expect(os.stat(snapshot).st_mode & 0o777, 0o600)
        server.start(flags)
        expect(check(server)[0], 429)
        with open(snapshot, "wb") as file:
            file.write(b"no snapshot")
        server.process.kill()
        server.process.wait()
        server.start(flags)
        expect(check(server)[0], 200, "it serves without")
        expect(server.stop(), 0)
        with open(snapshot + ".unusable", "rb") as file:
            expect(file.read(), b"no snapshot", "it is kept")


def test_an_insecure_snapshot_is_renamed_and_not_used():
    with Server() as server:
        snapshot = os.path.join(server.folder.name, "states")
        flags = ["--store-snapshot", snapshot]
        expect(server.stop(), 0)
        server.start(flags)
        expect([check(server)[0] for _ in range(3)], [200, 200, 429])
        expect(server.stop(), 0)
        os.chmod(snapshot, 0o666)
        server.start(flags)
        expect(check(server)[0], 200, "it serves without")
        said = [line for line in server.lines if "snapshot_not_restored" in line]
        expect(len(said), 1)
        assert "is writable by group or others" in said[0], said
        assert os.path.exists(snapshot + ".unusable")


def test_a_snapshot_that_cannot_be_saved_is_a_failure():
    with Server() as server:
        folder = os.path.join(server.folder.name, "states")
        expect(server.stop(), 0)
        os.mkdir(folder)
        server.start(["--store-snapshot", os.path.join(folder, "states")])
        os.rmdir(folder)
        expect(server.stop(), 1)
        server.line("snapshot_not_saved")


def test_an_unwritable_snapshot_is_an_error_at_start():
    with Server() as server, tempfile.TemporaryDirectory() as folder:
        os.mkfifo(os.path.join(folder, "pipe"))
        os.symlink("/dev/null", os.path.join(folder, "link"))
        for name, why in (
            ("missing/states", "No such file or directory"),
            ("pipe", "it is not a regular file"),
            ("link", "it is a symbolic link; expected a regular file"),
        ):
            path = os.path.join(folder, name)
            found = subprocess.run([SLUICE, "serve", "--rules", server.rules, "--listen",
                                    "127.0.0.1:0", "--admin", "127.0.0.1:0", "--store-snapshot",
                                    path],
                                   capture_output=True, text=True, timeout=DEADLINE_SECONDS,
                                   check=False)
            expect(found.returncode, 1)
            assert f"cannot write a snapshot to '{path}': {why}" in found.stderr, found.stderr


def test_the_log_reports_draining_connections_and_the_complete_shutdown():
    with Server() as server, server.connect() as connection:
        expect(resp(connection, "PING"), ["+PONG"])
        server.process.send_signal(signal.SIGTERM)
        expect(server.line("draining"), "draining 1 connection")
        expect(server.line("ended"), "shutdown complete")
    with Server() as server:
        server.process.send_signal(signal.SIGTERM)
        expect(server.line("draining"), "draining 0 connections")


def test_logs_warnings_about_settings_before_it_serves():
    with Server() as other:
        process = subprocess.Popen(
            [SLUICE, "serve", "--rules", other.rules, "--listen", "127.0.0.1:0", "--admin",
             "127.0.0.1:0", "--log-format", "json"],
            stderr=subprocess.PIPE, text=True, env={**os.environ, "SLUICE_LISTN": "x"})
        deadline = threading.Timer(DEADLINE_SECONDS, process.kill)
        deadline.start()
        try:
            said = json.loads(process.stderr.readline())
            expect((said["level"], said["event"]), ("warning", "settings_warning"))
            assert "SLUICE_LISTN" in said["text"], said
            while json.loads(process.stderr.readline())["event"] != "serving":
                pass
        finally:
            deadline.cancel()
            process.kill()
            process.wait()
            process.stderr.close()


def test_a_reload_does_not_shorten_a_drain():
    with Server(flags=["--drain-delay", "30m", "--drain-deadline", "1h"]) as server:
        server.process.send_signal(signal.SIGTERM)
        server.line("draining")
        server.process.send_signal(signal.SIGHUP)
        # After the delay, no more connections are accepted.
        expect({check(server, user=str(i))[0] for i in range(50)}, {200})
        server.process.send_signal(signal.SIGTERM)
        expect(server.process.wait(DEADLINE_SECONDS), 0)


def hand_over(*addresses):
    """Runs a server with inherited sockets: its exit code and last line; None if it serves."""
    sockets = [socket.create_server((address, 0)) for address in addresses]
    moves = "".join(f"exec {9 + i}<&{each.fileno()}; " for i, each in enumerate(sockets))
    moves += "".join(f"exec {3 + i}<&{9 + i}; " for i in range(len(sockets)))
    with tempfile.NamedTemporaryFile("w", suffix=".yaml") as rules:
        rules.write(RULES)
        rules.flush()
        process = subprocess.Popen(
            ["bash", "-c", f'{moves} LISTEN_PID=$$ LISTEN_FDS={len(sockets)} exec "$@"', "bash",
             SLUICE, "serve", "--rules", rules.name, "--listen", "127.0.0.1:0"],
            stderr=subprocess.PIPE, text=True, pass_fds=[each.fileno() for each in sockets])
        for line in process.stderr:
            if '"serving"' in line:
                process.terminate()
                break
        code = process.wait(DEADLINE_SECONDS)
        process.stderr.close()
        for each in sockets:
            each.close()
        return code, line


def test_inherited_sockets_follow_the_same_rules():
    code, line = hand_over("127.0.0.1", "127.0.0.1")
    assert code == 0 and "serving" in line, line
    code, line = hand_over("127.0.0.1", "0.0.0.0")
    assert code == 1 and "can be reached from other machines and needs 'admin.token'" in line, line
    code, line = hand_over("127.0.0.1", "127.0.0.1", "127.0.0.1")
    assert code == 1 and "3 sockets were handed over; expected at most 2" in line, line


def test_requests_in_progress_are_answered_during_a_drain():
    # A single worker drains its connections in the order of their arrival.
    one = ["taskset", "-c", str(min(os.sched_getaffinity(0)))]
    with Server(under=one) as server, server.connect() as connection, server.connect() as idle:
        body = b'{"domain":"api","attributes":{"user":"1","path":"/v1/posts"}}'
        connection.sendall(b"POST /v1/check HTTP/1.1\r\nHost: h\r\nContent-Type: application/json"
                           b"\r\nContent-Length: %d\r\n\r\n" % len(body) + body[:10])
        check(server)  # both connections have been accepted by now
        server.process.send_signal(signal.SIGTERM)
        server.line("draining")
        expect(idle.recv(1), b"", "idle connections are closed")
        connection.sendall(body[10:])
        reply = b""
        while part := connection.recv(4096):
            reply += part
        assert reply.startswith(b"HTTP/1.1 200 OK\r\n"), reply
        assert b"Connection: close\r\n" in reply, reply
        expect(server.process.wait(DEADLINE_SECONDS), 0)


def test_unsupported_settings_are_errors():
    for flags, words in ((["--store", "sluice://localhost"], "unknown kind of store"),
                         (["--port", "8080"], "did you mean '--listen'?"),
                         (["--config", "a"], "did you mean '--settings'?"),
                         (["--listen", "nonsense"], "--listen"), (["--rulse", "x"], "--rules")):
        found = subprocess.run([SLUICE, "serve", "--rules", "x", *flags], capture_output=True,
                               text=True, timeout=DEADLINE_SECONDS, check=False)
        expect(found.returncode, 2, flags)
        assert words in found.stderr, found.stderr
    for args, words in (([], "expected --rules PATH, for example --rules examples/rules\n"),
                        (["examples/rules"], "expected a flag such as --rules\n")):
        found = subprocess.run([SLUICE, "serve", *args], capture_output=True, text=True,
                               timeout=DEADLINE_SECONDS, check=False)
        expect(found.returncode, 2, args)
        assert found.stderr.endswith(words), found.stderr


def dumps_core(command):
    """Returns whether a process that crashes leaves a core dump."""
    with tempfile.TemporaryDirectory() as folder:
        process = subprocess.Popen(
            ["bash", "-c", 'ulimit -c unlimited; exec "$@"', "bash", *command], cwd=folder,
            stderr=subprocess.PIPE, text=True)
        process.stderr.readline()  # the process runs
        process.send_signal(signal.SIGSEGV)
        ended = os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOWAIT)
        process.stderr.read()
        process.stderr.close()
        process.wait(DEADLINE_SECONDS)
        return ended.si_code == os.CLD_DUMPED


def test_no_core_dump_is_written_unless_asked_for():
    plain = ["python3", "-c", "import sys, time; print(file=sys.stderr); time.sleep(60)"]
    if not dumps_core(plain):
        print("skipped test_no_core_dump_is_written_unless_asked_for: this system writes none")
        return
    with tempfile.NamedTemporaryFile("w", suffix=".yaml") as rules:
        rules.write("domain: api\nrules: [{ name: all, per: [ip], limit: 1000/h }]\n")
        rules.flush()
        serve = [os.path.abspath(SLUICE), "serve", "--rules", rules.name, "--listen", "127.0.0.1:0",
                 "--admin", "127.0.0.1:0"]
        expect(dumps_core(serve), False)


run_tests(globals())
