"""Benchmarks the service: requests answered per second of the server's CPU time.

    python3 bench/service.py [--expect] [--seconds S] path/to/sluice

The server runs on one core, the load generator on another. It is compared, under the same load,
with the same server sending a reply that needs no decision, with nginx sending a static reply, and
with redis-server and INCR. Needs h2load, nginx and redis-server; prints a notice for each
measurement it skips because a program is missing.
"""

import argparse
import json
import os
import re
import shutil
import socket
import subprocess
import sys
import tempfile
import time

DEADLINE_SECONDS = 30
SERVER_CORE, LOAD_CORE = sorted(os.sched_getaffinity(0))[:2]
IDLE_CONNECTIONS = 2000

RULES = """
domain: api
rules:
  - { name: all, per: [user], limit: { rate: 1000000/s, burst: 1000000 } }
"""
NGINX = """
daemon off; worker_processes 1; pid {folder}/pid; error_log stderr crit;
events {{ worker_connections 1024; }}
http {{
  access_log off; keepalive_requests 1000000000;
  server {{ listen 127.0.0.1:{port}; location / {{ return 200 "allowed"; }} }}
}}
"""
# Measures stalls of the machine itself: the share of evenly spaced requests that would wait for at
# least a millisecond because the core stands still. A loop that only reads the clock finds them.
STALLS = """
import sys, time
now = time.perf_counter_ns
at = now()
end = at + int(float(sys.argv[1]) * 1e9)
begin, waited = at, 0
while at < end:
    before, at = at, now()
    if at - before > 1_000_000: waited += at - before - 1_000_000
print(waited / (at - begin))
"""
RLS = "/envoy.service.ratelimit.v3.RateLimitService/ShouldRateLimit"
HEALTH = "/grpc.health.v1.Health/Check"


class Server:
    """A process on the server's core, stopped by its process id."""

    def __init__(self, command, port):
        self.address = f"127.0.0.1:{port}"
        self.process = subprocess.Popen(["taskset", "-c", str(SERVER_CORE), *command],
                                        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        end = time.monotonic() + DEADLINE_SECONDS
        while True:
            try:
                socket.create_connection(("127.0.0.1", port), 1).close()
                return
            except OSError:
                if time.monotonic() >= end or self.process.poll() is not None:
                    self.__exit__()
                    raise AssertionError(f"does not start: {command}") from None
                time.sleep(0.01)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.terminate()
        self.process.wait()

    def pids(self):
        """Returns the ids of the process and its children; nginx does its work in a child."""
        children = f"/proc/{self.process.pid}/task/{self.process.pid}/children"
        with open(children, encoding="ascii") as file:
            return [self.process.pid, *map(int, file.read().split())]

    def cpu_seconds(self):
        ticks = 0
        for pid in self.pids():
            with open(f"/proc/{pid}/stat", encoding="ascii") as file:
                fields = file.read().rpartition(")")[2].split()
            ticks += int(fields[11]) + int(fields[12])
        return ticks / os.sysconf("SC_CLK_TCK")

    def resident_bytes(self):
        with open(f"/proc/{self.process.pid}/statm", encoding="ascii") as file:
            return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


class Bench:
    def __init__(self, sluice, seconds, folder):
        self.sluice = sluice
        self.seconds = seconds
        self.folder = folder
        with open(f"{folder}/rules.yaml", "w", encoding="utf-8") as file:
            file.write(RULES)

    def serve(self):
        port = free_port()
        return Server([self.sluice, "serve", "--rules", f"{self.folder}/rules.yaml", "--listen",
                       f"127.0.0.1:{port}", "--admin", "127.0.0.1:0"], port)

    def nginx(self):
        port = free_port()
        with open(f"{self.folder}/nginx.conf", "w", encoding="utf-8") as file:
            file.write(NGINX.format(folder=self.folder, port=port))
        return Server([find("nginx"), "-c", f"{self.folder}/nginx.conf"], port)

    def redis(self):
        port = free_port()
        return Server([find("redis-server"), "--port", str(port), "--save", "", "--appendonly",
                       "no"], port)

    def load(self, server, *flags):
        """Returns the report of `sluice bench`, and answers per second of the server's CPU time."""
        before = server.cpu_seconds()
        done = subprocess.run(
            ["taskset", "-c", str(LOAD_CORE), self.sluice, "bench", "--server", server.address,
             "--duration", f"{self.seconds}s", "--expect", "errors=0", "-o", "json", *flags],
            capture_output=True, text=True, timeout=self.seconds + DEADLINE_SECONDS, check=True)
        report = json.loads(done.stdout)
        return report, report["requests"] / (server.cpu_seconds() - before)

    def h2load(self, server, path, message):
        """Returns gRPC calls answered per second of the server's CPU time."""
        body = f"{self.folder}/message"
        with open(body, "wb") as file:
            file.write(b"\0" + len(message).to_bytes(4, "big") + message)
        before = server.cpu_seconds()
        done = subprocess.run(
            ["taskset", "-c", str(LOAD_CORE), find("h2load"), "-D", str(self.seconds), "-c", "10",
             "-m", "100", "-d", body, "-H", "content-type: application/grpc", "-H", "te: trailers",
             f"http://{server.address}{path}"],
            capture_output=True, text=True, timeout=self.seconds + DEADLINE_SECONDS, check=True)
        succeeded = int(re.search(r"(\d+) succeeded, 0 failed", done.stdout).group(1))
        return succeeded / (server.cpu_seconds() - before)


def stalled_share(seconds):
    """Returns the share of requests that would wait for a millisecond, summed over both cores."""
    looks = [subprocess.Popen(["taskset", "-c", str(core), sys.executable, "-c", STALLS,
                               str(seconds)], stdout=subprocess.PIPE, text=True)
             for core in (SERVER_CORE, LOAD_CORE)]
    return sum(float(look.communicate()[0]) for look in looks)


def find(program):
    path = shutil.which(program, path=os.environ["PATH"] + ":/usr/sbin")
    if path is None:
        raise FileNotFoundError(program)
    return path


def field(number, value):
    return bytes([number << 3 | 2, len(value)]) + value


RLS_MESSAGE = field(1, b"api") + field(2, field(1, field(1, b"user") + field(2, b"12345")))


def measure_rls(bench):
    with bench.serve() as server:
        decided = bench.h2load(server, RLS, RLS_MESSAGE)
        fixed = bench.h2load(server, HEALTH, b"")
        flags = ["--protocol", "rls", "--domain", "api"]
        report, _ = bench.load(server, *flags, "--connections", "10", "--streams", "100")
        rate = int(min(report["rate"] * 0.7, 150_000))
        stalled = stalled_share(bench.seconds)
        opened, _ = bench.load(server, *flags, "--connections", "10", "--streams", "100", "--rate",
                               str(rate))
    p99 = opened["latency_ns"]["p99"] / 1e6
    return [("RLS, 10 x 100", f"{decided:,.0f} /CPU s", "400,000", decided >= 400_000),
            ("RLS, of the same server with a fixed reply", f"{decided / fixed:.0%}",
             "the aim is 75 %", True),
            ("RLS on two cores, load included", f"{report['rate']:,.0f} /s", "345,000",
             report["rate"] >= 345_000),
            (f"RLS, open loop at {rate:,} /s, p99", f"{p99:.3f} ms", "under 1 ms", p99 < 1),
            ("stalls of the machine: wait 1 ms in any case", f"{stalled:.2%}",
             "above 1 % no p99 is under 1 ms", True)]


def measure_http(bench):
    flags = ["--connections", "64", "--pipeline", "1"]
    with bench.serve() as server:
        _, decided = bench.load(server, *flags, "--domain", "api")
    with bench.nginx() as server:
        _, fixed = bench.load(server, *flags, "--method", "GET", "--path", "/")
    return [("/v1/check", f"{decided:,.0f} /CPU s", "", True),
            ("/v1/check, of nginx's static reply", f"{decided / fixed:.0%}", "85 %",
             decided >= 0.85 * fixed)]


def measure_resp(bench):
    flags = ["--protocol", "resp", "--connections", "50", "--pipeline", "16", "--keys", "100000"]
    with bench.serve() as server:
        _, decided = bench.load(server, *flags, "--command", "CL.THROTTLE {key} 1000000 1000000 1")
    with bench.redis() as server:
        _, fixed = bench.load(server, *flags, "--command", "INCR {key}")
    return [("CL.THROTTLE, pipeline 16", f"{decided:,.0f} /CPU s", "", True),
            ("CL.THROTTLE, of redis-server's INCR", f"{decided / fixed:.0%}", "80 %",
             decided >= 0.8 * fixed)]


def measure_memory(bench):
    with bench.serve() as server:
        port = int(server.address.rpartition(":")[2])
        request = (b"POST /v1/check HTTP/1.1\r\nHost: h\r\nContent-Type: application/json\r\n"
                   b"Content-Length: 16\r\n\r\n"
                   b'{"domain":"api"}')

        def connect():
            connection = socket.create_connection(("127.0.0.1", port), DEADLINE_SECONDS)
            connection.sendall(request)
            assert connection.recv(4096).startswith(b"HTTP/1.1 200"), "not allowed"
            return connection

        warm = [connect() for _ in range(100)]
        before = server.resident_bytes()
        idle = [connect() for _ in range(IDLE_CONNECTIONS)]
        each = (server.resident_bytes() - before) / IDLE_CONNECTIONS / 1024
        for connection in [*warm, *idle]:
            connection.close()
    return [("memory of an idle connection", f"{each:.1f} KiB", "under 20 KiB", each < 20)]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("sluice")
    parser.add_argument("--expect", action="store_true", help="exit with 1 where a mark is missed")
    parser.add_argument("--seconds", type=int, default=5, help="of each measurement")
    options = parser.parse_args()
    missed = False
    print(f"{'':44} {'measured':>18}  mark")
    with tempfile.TemporaryDirectory() as folder:
        bench = Bench(options.sluice, options.seconds, folder)
        for measure in (measure_rls, measure_http, measure_resp, measure_memory):
            try:
                rows = measure(bench)
            except FileNotFoundError as missing:
                print(f"left out, because there is no {missing}: {measure.__name__}")
                missed = True
                continue
            for what, measured, mark, reached in rows:
                print(f"{what:44} {measured:>18}  {mark}{'' if reached else '  MISSED'}")
                missed = missed or not reached
    return 1 if missed and options.expect else 0


if __name__ == "__main__":
    raise SystemExit(main())
