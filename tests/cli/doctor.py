"""`sluice doctor` against healthy servers of redis, and against some that are not."""

import json
import os
import re
import subprocess
import sys
import tempfile
import time

PROJECT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.insert(0, os.path.join(PROJECT, "tests", "support"))

from server import DEADLINE_SECONDS, SLUICE, expect, run_tests, until  # noqa: E402
from fault_proxy import FaultProxy, Harm  # noqa: E402
from ports import free_port  # noqa: E402
from redis_processes import Redis, Sentinel  # noqa: E402

PASSWORD = "hunter2"
SERVER_CHECKS = ["reachable", "version", "role", "scripts", "clock", "eviction", "persistence",
                 "replication", "latency"]
CLUSTER = ("cluster-enabled yes",)
SLOTS = 16384
# The measured latency depends on the machine.
PATIENT = "5s"
# A primary that is busy must stay the primary.
SLOW_FAILOVER = 5000


def doctor(*args, code, environment=None, deadline=PATIENT):
    """Returns the findings, which must not contain a secret."""
    clean = {name: value for name, value in os.environ.items() if not name.startswith("SLUICE_")}
    done = subprocess.run([SLUICE, "doctor", "-o", "json", "--store-deadline", deadline, *args],
                          capture_output=True, text=True, timeout=DEADLINE_SECONDS, check=False,
                          env={**clean, **(environment or {})})
    expect(done.returncode, code, done.stdout + done.stderr)
    expect(done.stderr, "")
    assert PASSWORD not in done.stdout, done.stdout
    return [json.loads(line) for line in done.stdout.splitlines()]


def grades(findings):
    return {finding["check"]: finding["grade"] for finding in findings}


def of(findings, check):
    """Returns the only finding of a check."""
    found, = [finding for finding in findings if finding["check"] == check]
    return found


def expect_only(findings, grade, check, found, advice):
    """Expects exactly one bad finding, with this description and advice."""
    bad = [finding for finding in findings if finding["grade"] != "ok"]
    expect([(finding["grade"], finding["check"]) for finding in bad], [(grade, check)])
    assert re.search(found, bad[0]["found"]), bad[0]
    assert re.search(advice, bad[0]["advice"]), bad[0]


def expect_no_keys(redis):
    expect(redis.call("KEYS", "*"), "", "keys that are left behind")


def test_a_healthy_server():
    with Redis() as redis:
        for url in (f"redis://{redis.address}", f"redis://localhost:{redis.port}/3",
                    f"redis+unix://{redis.socket}"):
            findings = doctor("--store", url, code=0)
            expect(grades(findings), dict.fromkeys(SERVER_CHECKS, "ok"), url)
            expect({finding["advice"] for finding in findings}, {None})
            assert re.fullmatch(r"Redis \d+\.\d+\.\d+", of(findings, "version")["found"])
            assert re.search(r"^100 decisions.* p50 \S+, p99 \S+, most \S+$",
                             of(findings, "latency")["found"]), findings
        expect_no_keys(redis)


def test_text_has_the_same_findings():
    with Redis("maxmemory 100mb", "maxmemory-policy allkeys-lru") as redis:
        done = subprocess.run([SLUICE, "doctor", "--store", f"redis://{redis.address}"],
                              capture_output=True, text=True, timeout=DEADLINE_SECONDS, check=False)
        expect((done.returncode, done.stderr), (0, ""))
        lines = done.stdout.splitlines()
        expect([line.split()[1] for line in lines], SERVER_CHECKS)
        expect(lines[0], f"ok       reachable    {redis.address}: connected, without a password")
        assert re.match(rf"warning  eviction     {redis.address}: .*evicted.*; CONFIG SET",
                        lines[5]), lines


def test_connection_refused():
    port = free_port()
    expect_only(doctor("--store", f"redis://127.0.0.1:{port}", code=1), "failure", "reachable",
                f"cannot connect to 127.0.0.1:{port}: Connection refused", "runs")
    expect_only(doctor("--store", "redis+unix:///nonexistent/socket", code=1), "failure",
                "reachable", "No such file", "runs")
    with Redis() as redis:
        expect_only(doctor("--store", f"redis://{redis.address}/99", code=1), "failure",
                    "reachable", "DB index is out of range", "has no database 99")
    # A resolver that does not answer must not be waited for either.
    hasty = {"RES_OPTIONS": "timeout:1 attempts:1"}
    expect_only(doctor("--store", "redis://nobody.invalid", code=1, environment=hasty), "failure",
                "reachable", "cannot look up 'nobody.invalid'", "runs")


def test_the_password_is_required_and_has_several_sources():
    with Redis(password=PASSWORD) as redis, tempfile.TemporaryDirectory() as folder:
        url = f"redis://{redis.address}"
        expect_only(doctor("--store", url, code=1), "failure", "reachable", "NOAUTH", "password")
        expect_only(doctor("--store", f"redis://:{PASSWORD}x@{redis.address}", code=1), "failure",
                    "reachable", "WRONGPASS", "look at the password.* 'default'")
        file = os.path.join(folder, "password")
        with open(file, "w", encoding="utf-8") as out:
            out.write(PASSWORD + "\n")
        for given in (("--store", url, "--store-password-file", file),
                      ("--store", url, "--store-password", PASSWORD),
                      ("--store", f"redis://:{PASSWORD}@{redis.address}")):
            expect(of(doctor(*given, code=0), "reachable")["found"], "connected, logged in")
        variables = {"SLUICE_STORE": url, "SLUICE_STORE_PASSWORD": PASSWORD}
        doctor(code=0, environment=variables)
        settings = os.path.join(folder, "sluice.yaml")
        with open(settings, "w", encoding="utf-8") as out:
            out.write(f"store: {{ url: '{url}', password_file: '{file}' }}\n")
        doctor("--settings", settings, code=0)


def test_a_server_that_echoes_the_password_does_not_leak_it():
    def repeat(_):
        return f"-ERR I do not know {PASSWORD}\r\n".encode()
    with Redis() as redis, FaultProxy(redis, edit=repeat) as proxy:
        findings = doctor("--store", f"redis://:{PASSWORD}@{proxy.address}", code=1)
        expect_only(findings, "failure", "reachable", r"I do not know \(secret\)", "")


def allow(redis, *rules):
    expect(redis.call("ACL", "SETUSER", "app", "reset", "on", f">{PASSWORD}", *rules), "OK")


def rules_in(finding):
    found = re.search(r"ACL SETUSER app (.*)$", finding["advice"])
    return found.group(1).split()


def test_a_user_with_too_few_rights_is_shown_the_required_ones():
    with Redis() as redis:
        url = f"redis://app:{PASSWORD}@{redis.address}"
        allow(redis, "~*", "+get")
        missing = of(doctor("--store", url, code=1), "scripts")
        expect(missing["grade"], "failure")
        expect(missing["found"][:48], "the user 'app' may not run set, ping, evalsha, s")
        rules = rules_in(missing)
        assert {"~sluice:*", "+evalsha", "+script|load", "+time"} <= set(rules), rules
        allow(redis, *rules)
        findings = doctor("--store", url, code=0)
        expect({check for check, grade in grades(findings).items() if grade != "ok"},
               {"eviction", "persistence", "replication"}, "what is asked for by CONFIG")
        assert "+config|get" in of(findings, "eviction")["advice"], findings
        allow(redis, *rules, "+config|get")
        expect(set(grades(doctor("--store", url, code=0)).values()), {"ok"})
        expect_no_keys(redis)


def test_the_document_has_the_same_rights():
    with open(os.path.join(PROJECT, "docs", "redis.md"), encoding="utf-8") as document:
        shown = re.search(r"ACL SETUSER sluice on >PASSWORD ([^`]*?)\n\n", document.read()).group(1)
    with Redis() as redis:
        allow(redis)
        findings = doctor("--store", f"redis://app:{PASSWORD}@{redis.address}", code=1)
        expect(shown.split(), rules_in(of(findings, "scripts")))


def test_each_right_is_needed():
    with Redis() as redis:
        url = f"redis://app:{PASSWORD}@{redis.address}"
        allow(redis)
        rules = rules_in(of(doctor("--store", url, code=1), "scripts"))
        for rule in rules[1:]:
            allow(redis, *(other for other in rules if other != rule))
            missing = of(doctor("--store", url, code=1), "scripts")
            expect(missing["found"], f"the user 'app' may not run {rule[1:]}")
        allow(redis, "~other:*", *rules[1:])
        expect(of(doctor("--store", url, code=1), "scripts")["found"],
               "the user 'app' may not use keys ~sluice:*")
        redis.call("FLUSHALL")
        allow(redis, *rules)
        expect_only(doctor("--store", url + "/1", code=1), "failure", "reachable", "NOPERM",
                    r"\+select")


def test_eviction():
    for policy, wanted in (("allkeys-lru", "warning"), ("volatile-ttl", "warning"),
                           ("noeviction", "ok")):
        with Redis("maxmemory 100mb", f"maxmemory-policy {policy}") as redis:
            found = of(doctor("--store", f"redis://{redis.address}", code=0), "eviction")
            expect((found["grade"], policy in found["found"]), (wanted, True), policy)
    with Redis("maxmemory-policy allkeys-lru") as redis:
        found = of(doctor("--store", f"redis://{redis.address}", code=0), "eviction")
        expect(found["grade"], "ok", "nothing is evicted where there is no bound")


def test_slow_persistence_is_a_warning():
    for fsync, wanted in (("always", "warning"), ("everysec", "ok")):
        with Redis("appendonly yes", f"appendfsync {fsync}") as redis:
            found = of(doctor("--store", f"redis://{redis.address}", code=0), "persistence")
            expect((found["grade"], fsync in found["found"]), (wanted, True))


def test_a_server_that_refuses_writes():
    with Redis("maxmemory 1", "maxmemory-policy noeviction") as redis:
        expect_only(doctor("--store", f"redis://{redis.address}", code=1), "failure", "role",
                    "takes no writes: OOM", "raise maxmemory")
    with Redis("min-replicas-to-write 1") as redis:
        expect_only(doctor("--store", f"redis://{redis.address}", code=1), "failure", "role",
                    "takes no writes: NOREPLICAS", "min-replicas-to-write")


def replica_of(primary, *settings):
    replica = Redis(f"replicaof 127.0.0.1 {primary.port}", "repl-diskless-sync-delay 0", *settings)
    until(lambda: "master_link_status:up" in replica.call("INFO", "replication"), "it follows")
    return replica


def test_a_replica_is_no_store():
    with Redis("repl-diskless-sync-delay 0") as redis, replica_of(redis) as replica:
        expect_only(doctor("--store", f"redis://{replica.address}", code=1), "failure", "role",
                    "a replica", "primary")


def test_another_kind_of_server_is_recognized():
    with Redis() as redis, Sentinel(redis) as sentinel, Redis(*CLUSTER) as node:
        expect_only(doctor("--store", f"redis://{sentinel.address}", code=1), "failure", "role",
                    "is a sentinel", "redis\\+sentinel://")
        expect_only(doctor("--store", f"redis://{node.address}", code=1), "failure", "role",
                    "is a node of a cluster", "redis\\+cluster://")
        expect_only(doctor("--store", f"redis+cluster://{redis.address}", code=1), "failure",
                    "slots", "cluster support disabled", "redis://")
        expect_only(doctor("--store", f"redis+sentinel://{redis.address}/main", code=1), "failure",
                    "primary", "unknown command", "sentinel")


def test_old_versions_and_other_names():
    with Redis() as redis:
        version = re.search(r"redis_version:(\S+)", redis.call("INFO", "server")).group(1)

        def older(reply):
            return reply.replace(version.encode(), b"6.0.99".ljust(len(version), b"9"))

        def valkey(reply):
            return reply.replace(b"$5\r\nredis\r\n", b"$6\r\nvalkey\r\n")

        with FaultProxy(redis, edit=older) as proxy:
            expect_only(doctor("--store", f"redis://{proxy.address}", code=1), "failure", "version",
                        r"Redis 6\.0\.9", "6.2 or later")
        with FaultProxy(redis, edit=valkey) as proxy:
            found = of(doctor("--store", f"redis://{proxy.address}", code=0), "version")
            expect((found["grade"], found["found"]), ("ok", f"Valkey {version}"))


def test_clock_skew():
    def later(seconds):
        return lambda reply: re.sub(
            rb"^(\*2\r\n\$10\r\n)(\d{10})(?=\r\n\$\d\r\n\d+\r\n$)",
            lambda found: found.group(1) + b"%d" % (int(found.group(2)) + seconds), reply)
    with Redis() as redis:
        for seconds, words in ((5, "ahead of"), (-5, "behind")):
            with FaultProxy(redis, edit=later(seconds)) as proxy:
                begin = time.monotonic()
                findings = doctor("--store", f"redis://{proxy.address}", code=0)
                took = time.monotonic() - begin
                expect_only(findings, "warning", "clock",
                            rf"^[\d.]+s {words} this machine's: .*headers", "NTP")
                # The time at which the clock was read, between question and answer, is unknown.
                found = float(of(findings, "clock")["found"].split("s")[0])
                assert abs(found - 5) <= took / 2 + 0.001, (found, took)


def test_a_distant_server():
    with Redis() as redis, FaultProxy(redis, Harm(delay=0.003)) as proxy:
        expect_only(doctor("--store", f"redis://{proxy.address}", code=0, deadline="2ms"),
                    "warning", "latency", "above 'store.deadline', 2ms", "nearer")


def test_a_cluster():
    with Redis(*CLUSTER) as one, Redis(*CLUSTER) as other:
        halves = ((one, 0, SLOTS // 2 - 1), (other, SLOTS // 2, SLOTS - 1))
        for node, first, last in halves:
            expect(node.call("CLUSTER", "ADDSLOTSRANGE", str(first), str(last)), "OK")
        one.call("CLUSTER", "MEET", "127.0.0.1", str(other.port), str(other.bus_port))
        for node in (one, other):
            until(lambda node=node: "cluster_state:ok" in node.call("CLUSTER", "INFO"), "it is ok")
        gone = f"127.0.0.1:{free_port()}"
        url = f"redis+cluster://{one.address},{gone}"
        findings = doctor("--store", url, code=0)
        expect([(each["check"], each["where"]) for each in findings if each["grade"] != "ok"],
               [("reachable", gone)])
        expect(of(findings, "slots")["found"], "all 16384 slots are served, by 2 primaries")
        for check in SERVER_CHECKS[1:]:
            expect({each["where"] for each in findings if each["check"] == check},
                   {one.address, other.address}, check)
        for node, *_ in halves:
            expect_no_keys(node)
        expect(one.call("CLUSTER", "DELSLOTSRANGE", "100", "199"), "OK")
        until(lambda: "cluster_state:fail" in one.call("CLUSTER", "INFO"), "it is not ok")
        findings = doctor("--store", f"redis+cluster://{one.address}", code=1)
        found = of(findings, "slots")
        expect((found["grade"], found["found"]),
               ("failure", "100 of 16384 slots are served by nobody: 100-199"))
        expect(of(findings, "cluster")["grade"], "failure")
        # A primary is stopped.
        expect(one.call("CLUSTER", "ADDSLOTSRANGE", "100", "199"), "OK")
        other.stop()
        findings = doctor("--store", f"redis+cluster://{one.address}", code=1)
        assert ("failure", "reachable", other.address) in [
            (each["grade"], each["check"], each["where"]) for each in findings], findings
        expect(grades(doctor("--store", f"redis+cluster://{gone},{other.address}", code=1)),
               {"reachable": "warning", "cluster": "failure"})


def test_a_user_of_a_cluster_with_just_enough_rights():
    with Redis(*CLUSTER) as node:
        expect(node.call("CLUSTER", "ADDSLOTSRANGE", "0", str(SLOTS - 1)), "OK")
        until(lambda: "cluster_state:ok" in node.call("CLUSTER", "INFO"), "it is ok")
        url = f"redis+cluster://app:{PASSWORD}@{node.address}"
        allow(node)
        expect_only(doctor("--store", url, code=1), "failure", "slots", "NOPERM",
                    r"\+cluster\|slots")
        allow(node, "+cluster|slots")
        rules = rules_in(of(doctor("--store", url, code=1), "scripts"))
        assert {"+cluster|slots", "+asking"} <= set(rules), rules
        allow(node, *rules, "+config|get", "+cluster|info")
        expect(set(grades(doctor("--store", url, code=0)).values()), {"ok"})


def test_sentinels():
    with Redis("repl-diskless-sync-delay 0") as primary, replica_of(primary) as replica, \
            Sentinel(primary, 2, SLOW_FAILOVER) as one, \
            Sentinel(primary, 2, SLOW_FAILOVER) as other:
        for sentinel in (one, other):
            until(lambda sentinel=sentinel: sentinel.call("SENTINEL", "CKQUORUM", "main")
                  .startswith("OK"), "they know one another")
        url = f"redis+sentinel://{one.address},{other.address}/main"
        findings = doctor("--store", url, code=0)
        expect_only(findings, "warning", "replication", "cut off", "min-replicas-to-write")
        expect(of(findings, "primary")["found"],
               f"is {primary.address}, as 2 of 2 sentinels say")
        expect([each["where"] for each in findings if each["check"] == "quorum"],
               [one.address, other.address])
        expect(of(findings, "latency")["where"], primary.address)
        expect(primary.call("CONFIG", "SET", "min-replicas-to-write", "1"), "OK")
        until(lambda: primary.call("SET", "k", "v") == "OK", "the replica counts")
        expect(set(grades(doctor("--store", url, code=0)).values()), {"ok"})

        unknown = doctor("--store", f"redis+sentinel://{one.address}/other", code=1)
        expect_only(unknown, "failure", "primary", "knows no primary 'other'", "monitors")

        with Sentinel(replica) as stray:
            findings = doctor("--store", f"redis+sentinel://{one.address},{stray.address}/main",
                              code=1)
            expect_only(findings, "failure", "primary", "^sentinels disagree: ", "same server")

        other.stop()
        until(lambda: one.call("SENTINEL", "CKQUORUM", "main").startswith("NOQUORUM"),
              "it is missed")
        findings = doctor("--store", url, code=0)
        expect({(each["check"], each["where"]) for each in findings if each["grade"] != "ok"},
               {("reachable", other.address), ("quorum", one.address)})


def test_a_user_behind_sentinels_with_just_enough_rights():
    with Redis() as primary, Sentinel(primary) as sentinel:
        url = f"redis+sentinel://app:{PASSWORD}@{sentinel.address}/main/2"
        allow(primary, "+role", "+select")
        rules = rules_in(of(doctor("--store", url, code=1), "scripts"))
        assert {"+role", "+select"} <= set(rules), rules
        allow(primary, *rules)
        doctor("--store", url, code=0)
        allow(primary, *(rule for rule in rules if rule != "+role"))
        expect_only(doctor("--store", url, code=1), "failure", "reachable", "NOPERM", r"\+role")


def test_tls():
    with tempfile.TemporaryDirectory() as folder:
        key, certificate = os.path.join(folder, "key"), os.path.join(folder, "certificate")
        subprocess.run(["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt",
                        "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2", "-subj", "/CN=x",
                        "-addext", "subjectAltName=IP:127.0.0.1", "-keyout", key, "-out",
                        certificate], check=True, capture_output=True, timeout=DEADLINE_SECONDS)
        port = free_port()
        with Redis(f"tls-port {port}", f"tls-cert-file {certificate}", f"tls-key-file {key}",
                   f"tls-ca-cert-file {certificate}", "tls-auth-clients no") as redis:
            url = f"rediss://127.0.0.1:{port}?ca={certificate}"
            findings = doctor("--store", url, code=0)
            expect(grades(findings), dict.fromkeys(SERVER_CHECKS, "ok"))
            expect(of(findings, "reachable")["found"], "connected over TLS, without a password")
            expect_only(doctor("--store", f"rediss://127.0.0.1:{port}", code=1), "failure",
                        "reachable", "TLS failed", "'ca'")
            expect_only(doctor("--store", f"{url}&server_name=other", code=1), "failure",
                        "reachable", "TLS failed", "server_name")
            expect_only(doctor("--store", f"redis://127.0.0.1:{port}", code=1), "failure",
                        "reachable", "", "rediss://")
            expect_only(doctor("--store", f"rediss://{redis.address}", code=1), "failure",
                        "reachable", "", "TLS")


def test_invalid_commands():
    for args, words in (((), "expected --store URL"),
                        (("--store", "memory"), "expected --store URL"),
                        (("--store", "sluice://a"), "unknown kind of store"),
                        (("--port", "7390"), "did you mean '--store'?"),
                        (("--redis", "a"), "did you mean '--store'?"),
                        (("redis://a",), "expected a flag such as --store"),
                        (("--store", f"redis://u:{PASSWORD}"), "needs a host"),
                        ((f"redis://:{PASSWORD}@a",), "flag"),
                        (("--store", "redis://a", "-o", "xml"), "xml"),
                        (("--store", "redis://a", "-o"), "-o needs a value"),
                        (("--sotre", "redis://a"), "--store"),
                        (("--store", "rediss://a?ca=/nonexistent"), "'/nonexistent'")):
        done = subprocess.run([SLUICE, "doctor", *args], capture_output=True, text=True,
                              timeout=DEADLINE_SECONDS, check=False)
        expect((done.returncode, done.stdout), (2, ""), args)
        assert done.stderr.startswith("sluice doctor: ") and words in done.stderr, done.stderr
        assert PASSWORD not in done.stderr, done.stderr


run_tests(globals())
